package command

import (
	"bufio"
	"net"
	"testing"
)

// Every flag for a time takes plain seconds, and numbers with units.
func TestTimesOfAllFlags(t *testing.T) {
	times := 0
	for i := range table {
		c := &table[i]
		for _, f := range c.flags() {
			if f.value != "TIME" {
				continue
			}
			times++
			for text, good := range map[string]bool{"5": true, "60": true, "5s": true, "2m": true, "0.5": true,
				"1h30m": true,
				"":      false, "-1": false, "-5s": false, "5d": false, ".": false, "soon": false} {
				_, set := c.flagSet(new(call))
				if err := set.Set(f.name, text); (err == nil) != good {
					t.Errorf("%s -%s %q: %v", c.Name, f.name, text, err)
				}
			}
		}
	}
	if times < 8 {
		t.Errorf("found only %d flags for a time", times)
	}
}

// What is sent is in seconds; a part of one counts as a whole one. A job that is to be buried is delayed, so that no
// worker sees it before.
func TestTimesAreSent(t *testing.T) {
	if line := putLine(&job{State: buried, TTR: 1}, 0); line != "put 0 3600 1 0" {
		t.Errorf("a job that is to be buried: %q", line)
	}
	for args, want := range map[[2]string]string{
		{"5", "60"}:             "put 1024 5 60 1\r\n",
		{"2m", "1.5s"}:          "put 1024 120 2 1\r\n",
		{"0", "90ms"}:           "put 1024 0 1 1\r\n",
		{"0.25", "4294967295s"}: "put 1024 1 4294967295 1\r\n",
	} {
		s := pretend(t, func(conn net.Conn, in *bufio.Reader) {
			_, _ = in.ReadString('\n')
			_, _ = conn.Write([]byte("USING default\r\n"))
			if line, _ := in.ReadString('\n'); line != want {
				t.Errorf("%q: sent %q, want %q", args, line, want)
			}
			_, _ = conn.Write([]byte("INSERTED 1\r\n"))
		})
		s.run("put", "-delay", args[0], "-ttr", args[1], "x").want(t, 0, "1\n", "")
	}
}
