package command

import (
	"bufio"
	"net"
	"strings"
	"testing"
)

// A tube is named by a word or by -tube, which mean the same.
func TestTubeFlag(t *testing.T) {
	s := startServer(t, beanfield(t))
	s.run("put", "-tube", "a", "1", "2", "3").want(t, 0, "1\n2\n3\n", "")
	s.run("bury", "2").want(t, 0, "", "")
	for _, args := range []string{"peek", "list", "stats", "export", "reserve", "tubes -names", "pause 0",
		"policy list", "kick -json 1", "move to", "purge", "policy remove"} {
		words := strings.Fields(args)
		byFlag := s.run(append(words, "-tube", "a")...)
		if args == "move to" {
			s.run("move", "to", "a").has(t, 0, "moved")
		}
		at := 1
		if words[0] == "policy" {
			at = 2
		}
		if byWord := s.run(append(append(words[:at:at], "a"), words[at:]...)...); args != "kick -json 1" &&
			byWord != byFlag || byFlag.code == codeUsage {
			t.Errorf("%s a: %+v, with -tube %+v", args, byWord, byFlag)
		}
	}
	s.run("policy").want(t, 0, "", "")
	s.run("policy", "-json").want(t, 0, "", "")
	s.run("policy", "odd").want(t, 2, "", `what is "odd"?`)
}

// The first server that answers is the one, as the Go client does it.
func TestServerList(t *testing.T) {
	s := startServer(t, beanfield(t))
	deaf := pretend(t, func(_ net.Conn, in *bufio.Reader) { _, _ = in.ReadString('x') })
	s.run("put", "x").want(t, 0, "1\n", "")
	ran(t, "peek", "1", "-server", "127.0.0.1:1, unix:/nowhere, "+s.addr+",127.0.0.1:2").want(t, 0, "x\n", "")
	t.Setenv(serverVariable, deaf.addr+","+s.addr)
	ran(t, "peek", "1").want(t, 0, "x\n", "")
	o := ran(t, "peek", "1", "-server", "127.0.0.1:1,"+deaf.addr)
	if o.code != 1 || !strings.Contains(o.stderr, "cannot reach 127.0.0.1:1") ||
		!strings.Contains(o.stderr, "lets nobody in within 5s") {
		t.Errorf("%+v", o)
	}
	ran(t, "peek", "1", "-server", "127.0.0.1:1,a b").want(t, 1, "", `server "a b": want HOST:PORT`)
	ran(t, "peek", "1", "-server", "unix:/nowhere,b").want(t, 1, "", "cannot reach unix:/nowhere,b")
	ran(t, "peek", "1", "-server", "127.0.0.1:1", "-config", "x").want(t, 2, "", "both name the server")
	o = with("", func(p *Program) int {
		p.Place = func(string) (Place, error) { return Place{Servers: []string{"unix:/nowhere", s.addr}}, nil }
		return p.Run(Find("peek"), []string{"1", "-config", "x"})
	})
	o.want(t, 0, "x\n", "")
}
