package protocol

import (
	"strconv"

	"beanfield/shard/queue"
)

// Reply formats the answer to an operation that was carried out. A large body is not copied: it
// is returned, and belongs between the reply's head and the CRLF that the caller adds.
type Reply func(out []byte, b *queue.Batch, op *queue.Op, q Quoting) (_ []byte, large [][]byte)

// Inserted, and those below, are the replies of operations.
func Inserted(out []byte, _ *queue.Batch, op *queue.Op, _ Quoting) ([]byte, [][]byte) {
	return AppendNumber(out, "INSERTED ", op.ID), nil
}

func Reserved(out []byte, b *queue.Batch, op *queue.Op, _ Quoting) ([]byte, [][]byte) {
	return AppendJob(out, "RESERVED ", op.ID, op.Size, b.Bytes[op.From:op.To], op.Parts)
}

func Found(out []byte, b *queue.Batch, op *queue.Op, _ Quoting) ([]byte, [][]byte) {
	return AppendJob(out, "FOUND ", op.ID, op.Size, b.Bytes[op.From:op.To], op.Parts)
}

func HowManyKicked(out []byte, _ *queue.Batch, op *queue.Op, _ Quoting) ([]byte, [][]byte) {
	return AppendNumber(out, "KICKED ", uint64(op.Count)), nil
}

func HowManyTruncated(out []byte, _ *queue.Batch, op *queue.Op, _ Quoting) ([]byte, [][]byte) {
	return AppendNumber(out, "TRUNCATED ", uint64(op.Count)), nil
}

func JobStats(out []byte, b *queue.Batch, op *queue.Op, q Quoting) ([]byte, [][]byte) {
	return appendJobStats(out, &b.Jobs[op.From], q), nil
}

func TubeStats(out []byte, b *queue.Batch, op *queue.Op, q Quoting) ([]byte, [][]byte) {
	return appendTubeStats(out, &b.Tubes[op.From], q), nil
}

// AppendNumber formats a reply of a word and a number.
func AppendNumber(out []byte, head string, n uint64) []byte {
	out = append(out, head...)
	out = strconv.AppendUint(out, n, 10)
	return append(out, '\r', '\n')
}

// AppendNumbers formats a reply of a word and two numbers.
func AppendNumbers(out []byte, head string, n, m uint64) []byte {
	out = append(out, head...)
	out = strconv.AppendUint(out, n, 10)
	return AppendNumber(out, " ", m)
}

// AppendJob formats a job with its body.
func AppendJob(out []byte, head string, id uint64, size uint32, small []byte, large [][]byte) ([]byte, [][]byte) {
	out = append(out, head...)
	out = strconv.AppendUint(out, id, 10)
	out = append(out, ' ')
	out = strconv.AppendUint(out, uint64(size), 10)
	out = append(out, '\r', '\n')
	if large != nil {
		return out, large
	}
	out = append(out, small...)
	return append(out, '\r', '\n'), nil
}

// AppendWatching formats the answer of watch and ignore.
func AppendWatching(out []byte, n int) []byte {
	return AppendNumber(out, "WATCHING ", uint64(n))
}

// AppendUsing formats the answer of use and list-tube-used.
func AppendUsing(out []byte, name string) []byte {
	out = append(out, "USING "...)
	out = append(out, name...)
	return append(out, '\r', '\n')
}

// AppendYAML formats an OK reply around what fill appends. The length goes in
// front, so the body is written behind room for the longest head and moved.
func AppendYAML(out []byte, fill func([]byte) []byte) []byte {
	const room = len("OK 18446744073709551615\r\n")
	start := len(out)
	out = append(out, make([]byte, room)...)
	out = append(out, "---\n"...)
	out = fill(out)
	n := len(out) - start - room
	head := append(make([]byte, 0, room), "OK "...)
	head = strconv.AppendInt(head, int64(n), 10)
	head = append(head, '\r', '\n')
	copy(out[start:], head)
	copy(out[start+len(head):], out[start+room:])
	out = out[:start+len(head)+n]
	return append(out, '\r', '\n')
}
