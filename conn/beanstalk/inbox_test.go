package beanstalk

import "testing"

// A loop turns to its events after it has served some of its inbox, and sooner
// when these have much to do. All are served in order, each once.
func TestInboxIsServedInShares(t *testing.T) {
	if inboxShare > 256 {
		t.Fatalf("the sockets wait for %d connections", inboxShare)
	}
	for _, c := range []struct {
		name  string
		conn  func() *Conn
		share int
	}{
		{"ordinary ones", func() *Conn { return &Conn{} }, inboxShare},
		{"those that leave", func() *Conn { return &Conn{closed: true} }, inboxShare / 8},
	} {
		l := &loop{}
		const n = 5*inboxShare/2 + 1
		var all []*Conn
		for i := range n {
			conn := c.conn()
			conn.loop, conn.fd = l, i
			l.conns = append(l.conns, conn)
			all = append(all, conn)
			conn.queued.Store(true)
			l.inbox.Push(conn, &conn.next)
		}
		for served := 0; served < n; {
			before := served
			l.serveInbox()
			for served < n && !all[served].queued.Load() {
				served++
			}
			if got := served - before; got != min(c.share, n-before) {
				t.Fatalf("%s: %d are served at once, want %d", c.name, got, c.share)
			}
			for _, later := range all[served:] {
				if !later.queued.Load() {
					t.Fatalf("%s: they are not served in order", c.name)
				}
			}
			if l.idle() != (served == n) {
				t.Fatalf("%s: the loop believes to be idle after %d of %d", c.name, served, n)
			}
		}
	}
}
