package protocol

import (
	"strconv"

	"beanfield/shard/queue"
)

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

// AppendJob formats what comes before the body of a job, with what is told about it; nil if that is nothing.
func AppendJob(out []byte, head string, id uint64, size uint32, about *queue.About) []byte {
	out = append(out, head...)
	out = strconv.AppendUint(out, id, 10)
	out = append(out, ' ')
	out = strconv.AppendUint(out, uint64(size), 10)
	if about != nil {
		out = Escape(append(out, " tube="...), about.Tube)
		out = strconv.AppendUint(append(out, " reserves="...), uint64(about.Reserves), 10)
		for name, value := range about.Tags.All() {
			out = appendTag(out, name, value)
		}
	}
	return append(out, CRLF...)
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
