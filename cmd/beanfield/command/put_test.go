package command

import (
	"path/filepath"
	"strings"
	"testing"
)

// A dash is standard input for whatever takes a body or a file.
func TestDash(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
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

// What only put-with can say. A server without it is told nothing: the bodies would be commands.
func TestPutWithExtras(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		s.run("put", "stays").want(t, 0, "1\n", "")
		if r := s.run("put", "-unique", "k", "delete 1"); strings.Contains(r.stderr, "put-with") {
			r.want(t, 1, "", "does not have the command put-with")
			s.run("peek", "1", "-raw").want(t, 0, "stays", "")
			return
		}
		s.run("put", "-unique", "k", "-tag", "c=d", "hello").want(t, 1, "", "job 1: job 2 has this key")
		s.run("put", "-tube", "b", "-unique", "k", "-unique-for", "1h", "-expire", "0.25h", "-deliveries", "3", "-pri",
			"7", "-delay", "9m",
			"-ttr", "5", "-tag", "c d=e f", "-tag", "g=", "two").want(t, 0, "3\n", "")
		s.run("list", "-tag", "c d=e f", "-tag", "g=").has(t, 0, "3 b delayed pri 7")
		s.run("stats", "3").has(t, 0, "\ndelay: 540\n")
		s.run("put", "-once", "n", "x", "y", "z").want(t, 0, "4\n5\n6\n", "")
		s.run("put", "-once", "n", "x", "y", "z").want(t, 0, "4\n5\n6\n", "")
		s.typed("x\ny\nz\nmore", "put", "-once", "n", "-lines").want(t, 0, "4\n5\n6\n7\n", "")
		s.run("put", "-once", "n", "alone").want(t, 0, "8\n", "")
		s.run("put", "-once", "n", "alone").want(t, 0, "8\n", "")
		s.run("put", "-unique", "k", "x", "y").want(t, 2, "", "only one job")
		s.run("put", "-unique", "k", "-lines").want(t, 2, "", "only one job")
		s.run("put", "-unique-for", "5", "x").want(t, 2, "", "needs -unique")
		s.run("put", "-tag", "odd", "x").want(t, 2, "", "is not NAME=VALUE")
		s.run("put", "-tag", "a="+strings.Repeat("x", 1000), "delete 1").want(t, 2, "", "too long")
		s.run("peek", "1", "-raw").want(t, 0, "stays", "")
	})
}
