package protocol

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestAppendYAML checks the head's length for documents around the lengths at
// which it grows a digit, and that what was there before stays.
func TestAppendYAML(t *testing.T) {
	for _, n := range []int{0, 1, 5, 6, 95, 96, 97, 995, 996, 997, 9995, 9996, 123456} {
		text := strings.Repeat("y", n)
		got := string(AppendYAML([]byte("before"), func(out []byte) []byte { return append(out, text...) }))
		want := fmt.Sprintf("beforeOK %d\r\n---\n%s\r\n", n+4, text)
		if got != want {
			t.Errorf("%d bytes: %.60q, want %.60q", n, got, want)
		}
	}
}

// TestAppendNumbers checks what the formats of numbers do at their ends.
func TestAppendNumbers(t *testing.T) {
	got := string(AppendInt(AppendUint(nil, "a", math.MaxUint64), "b", -1))
	if got != "a: 18446744073709551615\nb: -1\n" {
		t.Errorf("%q", got)
	}
}
