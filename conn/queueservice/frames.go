package queueservice

import (
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/gobwas/ws"
)

// message is what a client has sent over WebSocket: one control frame, or a whole data
// message.
type message struct {
	op      ws.OpCode
	payload []byte // valid until the next message is read
}

// misconduct ends a connection with a close frame.
type misconduct struct {
	code ws.StatusCode
	text string
}

func (m *misconduct) Error() string { return m.text }

func wrong(code ws.StatusCode, text string) error { return &misconduct{code, text} }

// frames reads a client's messages. A data message may come in several frames, with up to
// most bytes together; if most is 0, data messages are refused.
type frames struct {
	from    io.Reader
	most    int
	scratch [ws.MaxHeaderSize]byte
	control [ws.MaxControlFramePayloadSize]byte
	data    []byte    // of the message that is arriving
	kind    ws.OpCode // its kind, 0 for none
}

// next reads a message. An error other than misconduct comes from the connection.
func (f *frames) next() (message, error) {
	for {
		h, err := ws.ReadHeaderBuffer(f.from, f.scratch[:])
		if errors.Is(err, ws.ErrHeaderLengthMSB) || errors.Is(err, ws.ErrHeaderLengthUnexpected) {
			return message{}, wrong(ws.StatusProtocolError, "bad length of a frame")
		}
		if err != nil {
			return message{}, err
		}
		state := ws.StateServerSide
		if f.kind != 0 {
			state |= ws.StateFragmented
		}
		if err := ws.CheckHeader(h, state); err != nil {
			return message{}, wrong(ws.StatusProtocolError, err.Error())
		}
		if h.OpCode.IsControl() {
			payload := f.control[:h.Length]
			if _, err := io.ReadFull(f.from, payload); err != nil {
				return message{}, err
			}
			ws.Cipher(payload, h.Mask, 0)
			return message{h.OpCode, payload}, nil
		}
		if m, whole, err := f.fragment(h); whole || err != nil {
			return m, err
		}
	}
}

// fragment reads a data frame. It reports true when the message is complete.
func (f *frames) fragment(h ws.Header) (m message, whole bool, _ error) {
	switch {
	case f.most == 0:
		return m, false, wrong(ws.StatusUnsupportedData, "nothing but pings is expected")
	case h.Length > int64(f.most-len(f.data)):
		return m, false, wrong(ws.StatusMessageTooBig, "the message is too long")
	}
	if f.kind == 0 {
		f.kind = h.OpCode
	}
	from := len(f.data)
	f.data = append(f.data, make([]byte, h.Length)...)
	if _, err := io.ReadFull(f.from, f.data[from:]); err != nil {
		return m, false, err
	}
	ws.Cipher(f.data[from:], h.Mask, 0)
	if !h.Fin {
		return m, false, nil
	}
	m = message{f.kind, f.data}
	f.kind, f.data = 0, nil
	if m.op == ws.OpText && !utf8.Valid(m.payload) {
		return m, false, wrong(ws.StatusInvalidFramePayloadData, "a text that is not UTF-8")
	}
	return m, true, nil
}

// closeCode is the code that answers a client's close frame.
func closeCode(payload []byte) ws.StatusCode {
	if len(payload) == 0 {
		return ws.StatusNormalClosure
	}
	code, reason := ws.ParseCloseFrameData(payload)
	if len(payload) == 1 || ws.CheckCloseFrameData(code, reason) != nil {
		return ws.StatusProtocolError
	}
	return code
}

// appendDataHeader appends the header of a data frame that is a whole message.
func appendDataHeader(b []byte, op ws.OpCode, size int) []byte {
	b = append(b, 0x80|byte(op))
	switch {
	case size < 126:
		return append(b, byte(size))
	case size <= 0xffff:
		return binary.BigEndian.AppendUint16(append(b, 126), uint16(size))
	}
	return binary.BigEndian.AppendUint64(append(b, 127), uint64(size))
}
