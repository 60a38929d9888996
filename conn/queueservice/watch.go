package queueservice

import (
	"context"
	"net/http"
	"strings"

	"beanfield/conn/access"
	"beanfield/shard/queue"

	"github.com/gobwas/ws"
)

// mostMessage bounds what a client of the JSON subprotocol may send at once.
const mostMessage = 64 << 10

// mostWindow bounds a consumer's window.
const mostWindow = 1 << 20

// watch makes the client a consumer.
func (q *request) watch() (err error) {
	op := q.op(queue.AskWatch)
	a, p := op.Ask, q.query
	if a.Index, err = p.index(paramIndex); err != nil {
		return err
	}
	if a.Window, err = p.count(paramWindow, 1, mostWindow); err != nil {
		return err
	}
	a.Window = max(a.Window, 1)
	if a.IndexOnly, err = p.bool(paramIndexOnly, false); err != nil {
		return err
	}
	if a.AutoCommit, err = p.bool(paramAutoCommit, false); err != nil {
		return err
	}
	if a.Tags, err = q.pack(p.tags); err != nil {
		return err
	}
	if q.r.Header.Get("Upgrade") == "" {
		return q.stream(op)
	}
	return q.upgrade(op)
}

// upgrade makes the connection a WebSocket. The shard makes the consumer before the
// handshake is answered, so that every client that is connected is a consumer.
func (q *request) upgrade(op *queue.Op) error {
	if err := q.checkHandshake(); err != nil {
		return err
	}
	c := newConsumer(q.party)
	op.Ask.Receiver, op.Ask.Closes, c.outbox.stays = &c.outbox, !q.json, q.json
	if !q.server.enlist(c) {
		return refuse(http.StatusServiceUnavailable, "the server stops")
	}
	if !q.server.allowed(c.visit()) { // since it was let in
		q.server.delist(c)
		return errForbidden
	}
	if err := q.ask(op); err != nil {
		q.server.delist(c)
		return err
	}
	var upgrader ws.HTTPUpgrader // without a timeout: a socket has its own
	if q.json {
		upgrader.Protocol = func(name string) bool { return name == SubprotocolJSON }
	}
	connection, rw, _, err := upgrader.Upgrade(q.r, q.w)
	if err != nil { // the client has hung up
		q.leave(&c.outbox)
		if connection != nil {
			connection.Close()
		}
		q.server.delist(c)
		return nil
	}
	c.connect(connection.(*socket), q.json, op.Ask.IndexOnly)
	if n := rw.Reader.Buffered(); n > 0 {
		c.input.early = make([]byte, n)
		rw.Reader.Read(c.input.early)
	}
	go c.serve()
	return nil
}

// connect gives the consumer its connection.
func (c *consumer) connect(k *socket, json, indexOnly bool) {
	c.socket = k
	k.Sit(c.name(), &c.outbox)
	c.input.c = c
	c.frames.from = &c.input
	c.writer = writer{party: c.party, box: &c.outbox, to: k, indexOnly: indexOnly}
	if json {
		c.frames.most, c.writer.framing = mostMessage, framedText
	}
	c.outbox.mu.Lock()
	c.outbox.direct = newDirect(k)
	c.outbox.mu.Unlock()
}

// checkHandshake refuses requests that are not a handshake of RFC 6455. Package ws
// upgrades all others.
func (q *request) checkHandshake() error {
	h := q.r.Header
	switch {
	case !strings.EqualFold(h.Get("Upgrade"), "websocket") || !hasToken(h["Connection"], "upgrade"):
		return bad("an upgrade to something other than WebSocket")
	case !q.r.ProtoAtLeast(1, 1) || q.r.Host == "":
		return bad("a handshake needs HTTP/1.1 and a host")
	case len(h.Get("Sec-Websocket-Key")) != 24:
		return bad("a bad Sec-WebSocket-Key")
	case h.Get("Sec-Websocket-Version") != "13":
		q.w.Header().Set("Sec-WebSocket-Version", "13")
		return refuse(http.StatusUpgradeRequired, "the version of WebSocket must be 13")
	}
	return nil
}

// stream is the watch over plain HTTP: an answer that does not end.
func (q *request) stream(op *queue.Op) error {
	var box outbox
	box.init()
	op.Ask.Receiver, op.Ask.Closes = &box, true
	v := &visit{q.client, q.queue, access.Reserve, func() { box.stop(closeForbidden, "") }, nil}
	defer q.server.leave(v)
	if !q.server.begin(v) {
		return errForbidden
	}
	if err := q.ask(op); err != nil {
		return err
	}
	defer q.leave(&box)
	// The context ends when the client hangs up, or the server stops.
	defer context.AfterFunc(q.r.Context(), func() { box.finish(closeGoing, "") })()
	q.socket.watchOver()
	q.socket.Sit(q.name(), &box)
	defer q.socket.Sit("", nil)
	control := http.NewResponseController(q.w)
	q.w.Header().Set("Content-Type", typeProtobuf)
	q.w.WriteHeader(http.StatusOK)
	if err := control.Flush(); err != nil {
		return nil
	}
	w := writer{party: q.party, box: &box, to: q.w, flushed: control.Flush,
		framing: framedLength, indexOnly: op.Ask.IndexOnly}
	w.run()
	return nil
}
