//go:build linux

package load

import (
	"fmt"
	"strings"
	"testing"
)

// trickyBody looks like replies, and ends like one.
const trickyBody = "DELETED\r\nRESERVED 3 4\r\nxy\r\n"

func TestReplyParserNeedsTheWholeReply(t *testing.T) {
	// Every reply that the parser knows.
	stream := fmt.Appendf(nil, "INSERTED 1\r\nRESERVED 12 0\r\n\r\nRESERVED 18446744073709 %d\r\n%s\r\n"+
		"DELETED\r\nTIMED_OUT\r\nUSING bench-0\r\nWATCHING 2\r\nOUT_OF_MEMORY\r\n", len(trickyBody), trickyBody)
	want := []string{
		`1 1 ""`, `2 12 ""`, fmt.Sprintf("2 18446744073709 %q", trickyBody),
		`3 0 ""`, `0 0 ""`, `4 0 ""`, `0 0 ""`, `0 0 ""`,
	}
	for cut := range len(stream) + 1 {
		var got []string
		var r reply
		rest := stream[:cut]
		for _, more := range [][]byte{nil, stream[cut:]} {
			rest = append(rest[:len(rest):len(rest)], more...)
			for len(rest) > 0 {
				n, err := r.parse(rest)
				if err != nil {
					t.Fatalf("cut at %d: %v", cut, err)
				}
				if n == 0 {
					break
				}
				got = append(got, fmt.Sprintf("%v %d %q", r.word, r.id, r.body))
				rest = rest[n:]
			}
		}
		if len(rest) > 0 || strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("cut at %d: %q left, got\n%s\nwant\n%s", cut, rest, strings.Join(got, "\n"),
				strings.Join(want, "\n"))
		}
	}
}

func TestReplyParserRefuses(t *testing.T) {
	for _, bad := range []string{
		"INSERTED \r\nx", "INSERTED 1x\r\n", "INSERTED -1\r\n", "INSERTED 12345678901234567890\r\n",
		"RESERVED 1\r\n", "RESERVED 1 x\r\n", "RESERVED 1 2\r\nabcd", "RESERVED 1 2147483648\r\n",
		"DELETED\n", "\n", strings.Repeat("x", maxReplyLine+1),
	} {
		var r reply
		n, err := r.parse([]byte(bad))
		if err == nil && r.word != wordOther {
			t.Errorf("%.40q was taken for %v, %d bytes", bad, r.word, n)
		}
	}
}
