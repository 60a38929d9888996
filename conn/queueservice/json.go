package queueservice

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"

	"beanfield/conn/access"
	"beanfield/shard/queue"

	"github.com/gobwas/ws"
)

// appendFrameJSON appends item i as SDKs read it, with its body in base64.
func appendFrameJSON(b []byte, p *queue.DeliveryBatch, i int) []byte {
	b = append(appendHeadJSON(b, p, i), `,"data":"`...)
	return append(base64.StdEncoding.AppendEncode(b, bodyOf(p, i)), `"}`...)
}

// appendItemJSON appends item i as the JSON subprotocol has it, with its body as text
// if that is UTF-8.
func appendItemJSON(b []byte, p *queue.DeliveryBatch, i int, withData bool) []byte {
	b = appendHeadJSON(b, p, i)
	if !withData {
		return append(b, '}')
	}
	body := bodyOf(p, i)
	if utf8.Valid(body) {
		b = append(b, `,"data":`...)
		return append(appendString(b, body), '}')
	}
	b = append(b, `,"data64":"`...)
	return append(base64.StdEncoding.AppendEncode(b, body), `"}`...)
}

func appendHeadJSON(b []byte, p *queue.DeliveryBatch, i int) []byte {
	b = append(b, `{"index":`...)
	b = strconv.AppendUint(b, p.Items[i].Index, 10)
	b = append(b, `,"tags":{`...)
	comma := false
	for k, v := range p.Tags(i).All() {
		if comma {
			b = append(b, ',')
		}
		comma = true
		b = append(appendString(b, k), ':')
		b = appendString(b, v)
	}
	return append(b, '}')
}

// bodyOf is a body in one piece: base64 takes groups of three bytes, and parts need not end where
// groups do.
func bodyOf(p *queue.DeliveryBatch, i int) []byte {
	if len(p.Items[i].Large) > 0 {
		return appendBody(nil, p, i)
	}
	return p.Small(i)
}

// readJSON reads a text that is one value and nothing else, without fields that nobody knows.
func readJSON(text []byte, into any) (rest bool, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return false, err
	}
	_, err = d.Token()
	return err != io.EOF, nil
}

const hexDigits = "0123456789abcdef"

// appendString appends a JSON string. What is not UTF-8 becomes the replacement
// character.
func appendString(b []byte, s []byte) []byte {
	b = append(b, '"')
	plain := 0 // s[plain:i] needs no escape and is not appended yet
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		size := 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRune(s[i:]); r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		b = append(b, s[plain:i]...)
		switch {
		case c >= utf8.RuneSelf:
			b = utf8.AppendRune(b, utf8.RuneError)
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			b = append(b, '\\', c)
		}
		i++
		plain = i
	}
	return append(append(b, s[plain:]...), '"')
}

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
