package protocol

import (
	"fmt"
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
