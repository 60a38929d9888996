package command

import (
	"bufio"
	"net"
	"testing"
)

// The first server that answers is the one, as the Go client does it.
func TestServerList(t *testing.T) {
	s := startServer(t)
	deaf := pretend(t, func(_ net.Conn, in *bufio.Reader) { _, _ = in.ReadString('x') })
	t.Setenv(serverVariable, deaf.addr+","+s.addr)
	s.talk("$ put x\n1")
	talk(t, typed, `
$ peek 1
x
$ peek 1 -server '127.0.0.1:1, unix:/nowhere, `+s.addr+`,127.0.0.1:2'
x
$ peek 1 -server 127.0.0.1:1,`+deaf.addr+` [1 cannot reach 127.0.0.1:1]
$ peek 1 -server 127.0.0.1:1,`+deaf.addr+` [1 lets nobody in within 5s]
$ peek 1 -server '127.0.0.1:1,a b' [1 server "a b": want HOST:PORT]
$ peek 1 -server unix:/nowhere,b [1 cannot reach unix:/nowhere,b]
$ peek 1 -server 127.0.0.1:1 -config x [2 both name the server]`)
	placed(Place{Servers: []string{"unix:/nowhere", s.addr}}, "", "peek", "1", "-config", "x").want(t, 0, "x\n", "")
}
