package command

import (
	"path/filepath"
	"testing"
)

// A dash is standard input for whatever takes a body or a file.
func TestDash(t *testing.T) {
	onEach(t, func(t *testing.T, s *server) {
		s.typed("from\nstdin\n", "put", "-tube", "a", "-").want(t, 0, "1\n", "")
		s.run("peek", "1", "-raw").want(t, 0, "from\nstdin\n", "")
		s.typed("second", "put", "first", "-", "third").want(t, 0, "2\n3\n4\n", "")
		s.run("peek", "2", "3", "4").want(t, 0, "first\nsecond\nthird\n", "")
		s.typed("x\ny\n", "put", "-lines", "-").want(t, 0, "5\n6\n", "")
		s.typed("-", "put", "--", "-").want(t, 0, "7\n", "")
		s.run("peek", "7", "-raw").want(t, 0, "-", "")
		s.typed("z", "put", "-file", "-").want(t, 0, "8\n", "")
		s.typed("x", "put", "-", "-").want(t, 2, "", "only once")
		s.typed("x", "put", "-", "-file", "-").want(t, 2, "", "not from both")
		s.run("put").want(t, 2, "", "- for standard input")

		file := filepath.Join(t.TempDir(), "jobs")
		writeFile(t, file, `{"tube":"b","body":"file"}`+"\n")
		s.typed(`{"tube":"b","body":"stdin"}`+"\n", "load", file, "-").want(t, 0, "9\n10\n", "")
		s.run("peek", "9", "10").want(t, 0, "file\nstdin\n", "")
		s.typed("", "load", "-", "-").want(t, 2, "", "only once")
	})
	ran(t, "check-config", "-").want(t, serveCode, "-check-config -config /dev/stdin", "")
}
