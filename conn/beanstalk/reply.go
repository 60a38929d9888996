package beanstalk

import (
	"strconv"

	"beanfield/shard/queue"
)

// appendReply formats the answer to one operation of a run. A large body is
// not copied: it is returned, and belongs between the reply's head and the CRLF that
// the caller adds.
func appendReply(out []byte, v verb, b *queue.Batch, op *queue.Op, q Quoting) (_ []byte, large [][]byte) {
	if op.Status != queue.OK {
		return append(out, failures[op.Status]...), nil
	}
	switch v {
	case verbPut:
		out = append(out, "INSERTED "...)
		out = strconv.AppendUint(out, op.ID, 10)
		return append(out, '\r', '\n'), nil
	case verbReserve, verbReserveTimeout, verbReserveJob:
		return appendJob(out, "RESERVED ", op.ID, op.Size, b.Bytes[op.From:op.To], op.Parts)
	case verbPeek, verbPeekReady, verbPeekDelayed, verbPeekBuried:
		return appendJob(out, "FOUND ", op.ID, op.Size, b.Bytes[op.From:op.To], op.Parts)
	case verbKick:
		out = append(out, "KICKED "...)
		out = strconv.AppendUint(out, uint64(op.Count), 10)
		return append(out, '\r', '\n'), nil
	case verbStatsJob:
		return appendJobStats(out, &b.Jobs[op.From], q), nil
	case verbStatsTube:
		return appendTubeStats(out, &b.Tubes[op.From], q), nil
	}
	return append(out, successes[v]...), nil
}

// appendJob formats a job with its body.
func appendJob(out []byte, head string, id uint64, size uint32, small []byte, large [][]byte) ([]byte, [][]byte) {
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

// appendWatching formats the answer of watch and ignore.
func appendWatching(out []byte, n int) []byte {
	out = append(out, "WATCHING "...)
	out = strconv.AppendInt(out, int64(n), 10)
	return append(out, '\r', '\n')
}

// appendUsing formats the answer of use and list-tube-used.
func appendUsing(out []byte, name string) []byte {
	out = append(out, "USING "...)
	out = append(out, name...)
	return append(out, '\r', '\n')
}

// appendYAML formats an OK reply around what fill appends. The length goes in
// front, so the body is written behind room for the longest head and moved.
func appendYAML(out []byte, fill func([]byte) []byte) []byte {
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
