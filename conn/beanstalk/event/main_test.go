package event

import (
	"context"
	"log/slog"
	"syscall"
	"testing"
	"time"

	"beanfield/conn/socket"
	"beanfield/storage/must"
)

// TestMain spoils all buffers whose turn is over (B3).
func TestMain(m *testing.M) {
	Spoil = func(b []byte) {
		for i := range b {
			b[i] = '!'
		}
	}
	m.Run()
}

// noShards has a clock that stands still, and nothing else.
type noShards struct{ busy func(shard int) bool }

func (noShards) Now() int64            { return 1 }
func (n noShards) Busy(shard int) bool { return n.busy != nil && n.busy(shard) }
func (noShards) Push(int, bool)        {}

// echo is a client that is sent what it sends.
type echo struct {
	Conn
	long bool
}

func (*echo) Begin()       {}
func (*echo) HangUp()      {}
func (*echo) Alarm()       {}
func (*echo) Left()        {}
func (c *echo) Leave()     { c.End() }
func (c *echo) Long() bool { return c.long }
func (c *echo) Called()    { c.GoOn() }

func (c *echo) GoOn() {
	for more := true; more && c.Readable && !c.Stuck() && !c.Closed(); {
		var data []byte
		data, more = c.Fill()
		c.loop.Out = append(c.loop.Out, data...)
		c.Send()
	}
}

// still is a loop that does not run until a test runs it.
func still(t *testing.T) *Loop {
	t.Helper()
	g := &Group{Shards: noShards{}, Log: slog.New(slog.DiscardHandler), Left: func() {}}
	l := &Loop{AfterRound: func() {}}
	must.Do(t, g.Join(l))
	t.Cleanup(func() {
		g.Start()
		must.Do(t, g.Shutdown(context.Background()))
	})
	return l
}

// enter gives the loop a client, and returns the other end of its socket.
func (l *Loop) enter(t *testing.T) (c *echo, far int) {
	t.Helper()
	fds := must.Get(socket.Pair())
	t.Cleanup(func() { syscall.Close(fds[1]) })
	c = new(echo)
	l.Enter(&c.Conn, c, fds[0], nil, time.Second)
	return c, fds[1]
}

// heard reads what has come.
func heard(fd int) string {
	buf := make([]byte, 1<<20)
	n, _ := syscall.Read(fd, buf)
	return string(buf[:max(n, 0)])
}
