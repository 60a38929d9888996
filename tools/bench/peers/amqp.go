//go:build linux

package peers

import (
	"encoding/binary"
	"fmt"
	"io"
)

// amqp speaks what is needed of AMQP 0.9.1, on one channel.
type amqp struct{ *wire }

// A method is a class and a number.
type method [2]uint16

var (
	connectionStart  = method{10, 10}
	connectionTune   = method{10, 30}
	connectionOpenOk = method{10, 41}
	connectionClose  = method{10, 50}
	channelOpenOk    = method{20, 11}
	channelClose     = method{20, 40}
	queueDeclareOk   = method{50, 11}
	basicQosOk       = method{60, 11}
	basicConsumeOk   = method{60, 21}
	basicDeliver     = method{60, 60}
	basicGetOk       = method{60, 71}
	basicGetEmpty    = method{60, 72}
	basicAck         = method{60, 80}
	confirmSelectOk  = method{85, 11}
)

// Kinds of frames.
const (
	frameMethod, frameHeader, frameBody = 1, 2, 3
	frameEnd                            = 0xce
)

// Bits of a queue's declaration.
const (
	passive = 1
	durable = 2
)

// frame writes a frame, whose payload the function appends.
func (a *amqp) frame(kind byte, channel uint16, payload func(b []byte) []byte) {
	a.out = append(a.out, kind)
	a.out = binary.BigEndian.AppendUint16(a.out, channel)
	at := len(a.out)
	a.out = payload(append(a.out, 0, 0, 0, 0))
	binary.BigEndian.PutUint32(a.out[at:], uint32(len(a.out)-at-4))
	a.out = append(a.out, frameEnd)
}

// send writes a method. Its arguments are of the types that AMQP has: string is a short one, []byte a long one, and a
// table has texts and numbers.
func (a *amqp) send(channel, class, number uint16, args ...any) {
	a.frame(frameMethod, channel, func(b []byte) []byte {
		b = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(b, class), number)
		for _, arg := range args {
			b = encoded(b, arg)
		}
		return b
	})
}

type table map[string]any

func encoded(b []byte, arg any) []byte {
	switch v := arg.(type) {
	case uint8:
		return append(b, v)
	case uint16:
		return binary.BigEndian.AppendUint16(b, v)
	case uint32:
		return binary.BigEndian.AppendUint32(b, v)
	case uint64:
		return binary.BigEndian.AppendUint64(b, v)
	case string:
		return append(append(b, byte(len(v))), v...)
	case []byte:
		return append(binary.BigEndian.AppendUint32(b, uint32(len(v))), v...)
	case table:
		var all []byte
		for name, value := range v {
			all = encoded(all, name)
			switch value := value.(type) {
			case string:
				all = encoded(append(all, 'S'), []byte(value))
			case int:
				all = encoded(append(all, 'I'), uint32(value))
			}
		}
		return encoded(b, all)
	}
	panic(fmt.Sprintf("AMQP has no %T", arg))
}

// read reads a frame.
func (a *amqp) read() (kind byte, payload []byte, err error) {
	var head [7]byte
	if _, err = io.ReadFull(a.in, head[:]); err != nil {
		return 0, nil, err
	}
	payload = make([]byte, binary.BigEndian.Uint32(head[3:])+1)
	if _, err = io.ReadFull(a.in, payload); err == nil && payload[len(payload)-1] != frameEnd {
		err = fmt.Errorf("a frame does not end: %.80q", payload)
	}
	return head[0], payload[:len(payload)-1], err
}

// method reads the next method, with its arguments.
func (a *amqp) method() (m method, args []byte, err error) {
	kind, payload, err := a.read()
	if err != nil || kind != frameMethod || len(payload) < 4 {
		return m, nil, fmt.Errorf("a frame of kind %d, %.80q: %w", kind, payload, err)
	}
	m = method{binary.BigEndian.Uint16(payload), binary.BigEndian.Uint16(payload[2:])}
	if m == channelClose || m == connectionClose {
		return m, nil, fmt.Errorf("RabbitMQ closes: %.200q", payload[4:])
	}
	return m, payload[4:], nil
}

// want sends what was written and wants a method.
func (a *amqp) want(want method) ([]byte, error) {
	if err := a.flush(); err != nil {
		return nil, err
	}
	got, args, err := a.method()
	if err == nil && got != want {
		err = fmt.Errorf("RabbitMQ answered %v, want %v", got, want)
	}
	return args, err
}

// hello opens the connection and a channel.
func (a *amqp) hello() error {
	a.out = append(a.out, "AMQP\x00\x00\x09\x01"...)
	_, err := a.want(connectionStart)
	if err != nil {
		return err
	}
	a.send(0, 10, 11, table{}, "PLAIN", []byte("\x00guest\x00guest"), "en_US")
	if _, err = a.want(connectionTune); err != nil {
		return err
	}
	a.send(0, 10, 31, uint16(1), uint32(131072), uint16(0))
	a.send(0, 10, 40, "/", "", uint8(0))
	if _, err = a.want(connectionOpenOk); err != nil {
		return err
	}
	a.send(1, 20, 10, "")
	_, err = a.want(channelOpenOk)
	return err
}

// declare makes a queue, or asks how many messages it has.
func (a *amqp) declare(queue string, bits uint8, args table) (messages int, err error) {
	a.send(1, 50, 10, uint16(0), queue, bits, args)
	answer, err := a.want(queueDeclareOk)
	if err != nil {
		return 0, err
	}
	return int(binary.BigEndian.Uint32(answer[1+len(queue):])), nil
}

// publish writes a message, persistent or not.
func (a *amqp) publish(queue string, body []byte, mode uint8) {
	a.send(1, 60, 40, uint16(0), "", queue, uint8(0))
	a.frame(frameHeader, 1, func(b []byte) []byte {
		for _, v := range []any{uint16(60), uint16(0), uint64(len(body)), uint16(0x1000), mode} {
			b = encoded(b, v)
		}
		return b
	})
	a.frame(frameBody, 1, func(b []byte) []byte { return append(b, body...) })
}

// content reads the header and the body behind a delivery.
func (a *amqp) content() (body []byte, err error) {
	_, header, err := a.read()
	if err != nil {
		return nil, err
	}
	for size := binary.BigEndian.Uint64(header[4:]); err == nil && uint64(len(body)) < size; {
		var part []byte
		_, part, err = a.read()
		body = append(body, part...)
	}
	return body, err
}
