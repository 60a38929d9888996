package queueservice

import (
	"errors"
	"strconv"
	"unicode/utf8"

	"beanfield/conn/access"
	"beanfield/shard/queue"

	"github.com/gobwas/ws"
)

// order is what a client of the JSON subprotocol may send: a commit or a negative.
type order struct {
	Commit   []uint64 `json:"commit"`
	Negative []uint64 `json:"negative"`
	Code     string   `json:"code"`
	Reason   string   `json:"reason"`
	ID       *int64   `json:"id"`
}

func parseOrder(text []byte) (o order, err error) {
	switch rest, err := readJSON(text, &o); {
	case err != nil:
		return o, errors.New("a message that is not understood")
	case rest:
		return o, errors.New("something after the message")
	case (o.Commit == nil) == (o.Negative == nil):
		return o, errors.New("a message must have either commit or negative")
	}
	return o, checkNegative(o.Code, o.Reason)
}

// messageEnded tells a client of the JSON subprotocol that its queue has ended and nothing is
// left for it.
const messageEnded = `{"ended":true}`

// handle does what a message of the client says.
func (c *consumer) handle(m message) error {
	if m.op != ws.OpText {
		return wrong(ws.StatusUnsupportedData, "the message is not text")
	}
	o, err := parseOrder(m.payload)
	if err != nil {
		return wrong(ws.StatusPolicyViolation, err.Error())
	}
	if !c.may(access.Reserve) { // the end of the watch may not have come through yet
		return wrong(closeForbidden, errForbidden.Error())
	}
	op := c.op(queue.AskCommit)
	op.Ask.Indexes = o.Commit
	if o.Negative != nil {
		op = c.op(queue.AskNegative)
		op.Ask.Indexes, op.Ask.Code, op.Ask.Reason = o.Negative, o.Code, o.Reason
	}
	if err := c.ask(op); err != nil {
		return wrong(closeFailed, err.Error())
	}
	if o.ID == nil {
		return nil
	}
	answer := append(strconv.AppendInt([]byte(`{"done":`), *o.ID, 10), '}')
	if !c.outbox.say(ws.OpText, answer) {
		return wrong(ws.StatusPolicyViolation, "answers are not read")
	}
	return nil
}

// mostCode is how many bytes a negative's code may have.
const mostCode = 64

func checkNegative(code, reason string) error {
	if len(code) > mostCode {
		return bad("a code of more than %d bytes", mostCode)
	}
	if !utf8.ValidString(code) || !utf8.ValidString(reason) {
		return bad("a code or reason that is not UTF-8")
	}
	return nil
}
