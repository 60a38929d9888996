package tube

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// tell makes a history of lines such as "2 release 7 3-4 refused": client 2 releases job 7, asks at 3 and is answered
// at 4 seconds; with "3-" it is never answered.
func tell(t *testing.T, lines []string) *History {
	h := New("t")
	for _, line := range lines {
		a := Ask{Outcome: Done}
		var kind, refused string
		var call, answer float64
		switch n, _ := fmt.Sscanf(line, "%d %s %d %g-%g %s", &a.Client, &kind, &a.ID, &call, &answer, &refused); n {
		case 4:
			a.Outcome, answer = Unknown, -1
		case 5:
		case 6:
			a.Outcome = Refused
		default:
			t.Fatalf("no line of a history: %q", line)
		}
		a.Kind = Kind(slices.Index(kinds[:], kind))
		if a.Kind == Put || a.Kind == Reserve && a.Outcome == Done {
			a.Token = 100 + a.ID // the tests give a job's token by its id
		}
		if a.Kind == Put && a.Outcome != Done {
			a.ID = 0
		}
		a.Call, a.Return = time.Duration(call*float64(time.Second)), time.Duration(answer*float64(time.Second))
		h.Note(a)
	}
	return h
}

// drain reserves and deletes these jobs, from 100 on.
func drain(ids string) (lines []string) {
	at := 100
	for _, id := range strings.Fields(ids) {
		lines = append(lines, fmt.Sprintf("9 reserve %s %d-%d", id, at, at+1),
			fmt.Sprintf("9 delete %s %d-%d", id, at+2, at+3))
		at += 4
	}
	return append(lines, fmt.Sprintf("9 reserve 0 %d-%d refused", at, at+1))
}

// FR9.
func TestHistories(t *testing.T) {
	for _, c := range []struct {
		name, lines, drained string
		want                 Verdict
	}{
		{"put, and drained", "1 put 1 1-2", "1", Right},
		{"lost", "1 put 1 1-2", "", Wrong},
		{"perhaps put", "1 put 1 1-", "", Right},
		{"perhaps put, and seen", "1 put 1 1-; 2 reserve 0 3-4 refused", "1", Right},
		{"perhaps put, seen, and gone", "1 put 1 1-; 2 reserve 1 3-4; 2 release 1 5-6", "", Wrong},
		{"seen before it was put", "2 reserve 1 1-2; 1 put 1 3-4; 2 hang-up 0 2-", "1", Wrong},
		{"put but refused, and there", "1 put 1 1-2 refused", "1", Wrong},
		{"the later one first", "1 put 1 1-2; 1 put 2 3-4; 2 reserve 2 5-6; 2 hang-up 0 6-", "1 2", Wrong},
		{"two holders",
			"1 put 1 1-2; 2 reserve 1 3-4; 3 reserve 1 5-6; 2 release 1 7-8; 3 hang-up 0 6-", "1", Wrong},
		{"a second holder when the first has gone",
			"1 put 1 1-2; 2 reserve 1 3-4; 2 hang-up 0 4-; 3 reserve 1 5-6; 3 delete 1 7-8", "", Right},
		{"back after its delete", "1 put 1 1-2; 2 reserve 1 3-4; 2 delete 1 5-6", "1", Wrong},
		{"perhaps deleted, and there", "1 put 1 1-2; 2 reserve 1 3-4; 2 delete 1 5-; 2 hang-up 0 4-", "1", Right},
		{"perhaps deleted, seen once more, and gone",
			"1 put 1 1-2; 2 reserve 1 3-4; 2 delete 1 5-; 2 hang-up 0 4-; 3 reserve 1 6-7; 3 release 1 8-9", "", Right},
		{"a lost reserve has it",
			"1 put 1 1-2; 2 reserve 0 3-; 3 reserve 0 5-6 refused; 2 hang-up 0 2-", "1", Right},
		{"nobody has it", "1 put 1 1-2; 3 reserve 0 5-6 refused", "1", Wrong},
		{"a holder is refused", "1 put 1 1-2; 2 reserve 1 3-4; 2 release 1 5-6 refused; 2 hang-up 0 6-", "1", Wrong},
		{"a delete by another while it is held",
			"1 put 1 1-2; 2 reserve 1 3-4; 3 delete 1 5-6; 2 reserve 0 7-8 refused; 2 hang-up 0 8-", "", Wrong},
		{"a release by another", "1 put 1 1-2; 2 reserve 1 3-4; 3 release 1 5-6; 2 hang-up 0 4-", "1", Wrong},
	} {
		h := tell(t, append(strings.Split(c.lines, "; "), drain(c.drained)...))
		if got := h.Check(99*time.Second, time.Minute); got != c.want {
			t.Errorf("%s: %v, want %v: %v", c.name, got, c.want, h)
		}
	}
}
