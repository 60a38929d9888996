package protocol

import (
	"bytes"
	"slices"

	"beanfield/shard/queue"
)

// texts are what options say that is more than a number. Their memory is used again.
type texts struct {
	tags []pair
	text []byte // unescaped values
}

type pair struct{ name, value []byte }

// begin forgets what there was.
func (x *texts) begin() {
	if cap(x.text) < MaxOptions {
		x.text = make([]byte, 0, MaxOptions) // no line unescapes to more, so it never moves
	}
	x.tags, x.text = x.tags[:0], x.text[:0]
}

// unescape keeps a value until the next line is read.
func (x *texts) unescape(value []byte) (_ []byte, ok bool) {
	from := len(x.text)
	x.text, ok = Unescape(x.text, value)
	return x.text[from:len(x.text):len(x.text)], ok
}

// tag takes in the option tag.NAME.
func (x *texts) tag(name, value []byte) bool {
	n, ok := x.unescape(name)
	v, okay := x.unescape(value)
	x.tags = append(x.tags, pair{n, v})
	return ok && okay && len(n) > 0
}

// pack appends all tags in the order of their names. It reports false if one comes twice.
func (x *texts) pack(to queue.Tags) (_ queue.Tags, ok bool) {
	slices.SortFunc(x.tags, func(a, b pair) int { return bytes.Compare(a.name, b.name) })
	for i, t := range x.tags {
		if i > 0 && bytes.Equal(t.name, x.tags[i-1].name) {
			return to, false
		}
		to = to.With(t.name, t.value)
	}
	return to, true
}

// appendTag writes a tag as an option. In a name, = is escaped too.
func appendTag(out, name, value []byte) []byte {
	out = append(out, " tag."...)
	for i, part := range bytes.Split(name, []byte("=")) {
		if i > 0 {
			out = append(out, "%3D"...)
		}
		out = Escape(out, part)
	}
	return Escape(append(out, '='), value)
}
