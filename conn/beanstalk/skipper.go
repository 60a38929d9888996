package beanstalk

import "beanfield/conn/beanstalk/protocol"

// skipper throws away input that cannot become a command: the body of a
// job that is too big, or a line that is too long. Its state is a few bytes,
// however much there is to skip.
type skipper struct {
	bytes int64         // left of a body
	word  protocol.Word // the answer to its command
	line  bool          // until the line's CRLF
	cr    bool          // the last byte of the line so far was CR
	// request says that the line may be the first one of a request of HTTP, and ends with this
	// many bytes of version so far.
	request bool
	version uint8
}

func (k *skipper) on() bool { return k.bytes > 0 || k.line }

// watch looks at a piece of the line, up to the CR at i if that is not negative.
func (k *skipper) watch(piece []byte, i int) {
	if !k.request {
		return
	}
	if k.cr {
		k.version = 0 // that CR was a part of the line
	}
	if i >= 0 {
		piece = piece[:i]
	}
	for _, b := range piece[max(0, len(piece)-len(protocol.Version)):] {
		k.version = protocol.VersionSo(k.version, b)
	}
}
