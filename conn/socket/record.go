package socket

import (
	"bytes"
	"crypto/tls"
	"reflect"
	"unsafe"
)

// crypto/tls gathers a record in a buffer of the connection before it opens it. It never
// gives that buffer back, so an idle client that has once sent a large record would take up
// to 18 KB more. There is no other way to get at it than by its place in tls.Conn. So the loop
// lends its own buffer to a connection that is about to read, and takes it back when the
// connection has no part of a record in it. A Go version in which the buffer has another name
// or type only costs memory: then nothing is lent.

// recordAt is where tls.Conn has its buffer for records, and messagesAt the one for messages of the handshake, or 0.
var recordAt, messagesAt = bufferAt("rawInput"), bufferAt("hand")

func bufferAt(name string) uintptr {
	f, ok := reflect.TypeFor[tls.Conn]().FieldByName(name)
	if !ok || f.Type != reflect.TypeFor[bytes.Buffer]() {
		return 0
	}
	return f.Offset
}

// dropMessages gives back the buffer for messages, once the handshake has been made: with certificates it has more than
// a kilobyte.
func dropMessages(c *tls.Conn) {
	if messagesAt == 0 {
		return
	}
	if m := (*bytes.Buffer)(unsafe.Add(unsafe.Pointer(c), messagesAt)); m.Len() == 0 {
		*m = bytes.Buffer{}
	}
}

// record is the buffer of a connection, or nil if it cannot be found.
func (w *TLS) record() *bytes.Buffer {
	if recordAt == 0 {
		return nil
	}
	return (*bytes.Buffer)(unsafe.Add(unsafe.Pointer(w.conn), recordAt))
}

// Buffer is how large a buffer for records the connection has: none, while it has no part of one.
func (w *TLS) Buffer() int {
	if r := w.record(); r != nil {
		return r.Cap()
	}
	return 0
}

// lendRecord lends the loop's buffer to a connection that has none.
func (w *TLS) lendRecord(l *Buffers) {
	if r := w.record(); r != nil && r.Cap() == 0 && l.Record != nil {
		*r = *bytes.NewBuffer(l.Record)
		l.Record = nil
	}
}

// returnRecord takes the buffer back. It is called when crypto/tls has found that the socket
// is empty: then it has handed out all that it has opened.
func (w *TLS) returnRecord(l *Buffers) {
	r := w.record()
	if r == nil || r.Len() > 0 {
		return // a part of a record
	}
	r.Reset()
	if b := r.AvailableBuffer(); cap(b) > cap(l.Record) {
		l.Record = b
	}
	*r = bytes.Buffer{}
}
