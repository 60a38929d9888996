package protocol

import "bytes"

// MostPuts is how long the body of a command with many jobs may be, in bytes. So no job in it has to be
// staged (storage.LargeBody).
const MostPuts = 1 << 20

// Next reads the first job of such a body: a line with what a put says, without the word, and options behind it;
// and then the job's own body, which is borrowed from there.
func (p *PutLine) Next(body []byte) (data, rest []byte, ok bool) {
	line, rest, state := lineWithin(body, MaxOptions)
	if state != Complete || malformed(line) {
		return nil, nil, false
	}
	p.forget()
	a := args{rest: line}
	p.Pri = a.u32()
	p.Options.Delay, p.Options.TTR = a.time(AnyTime), LeastTTR(a.time(AnyTime))
	size := int(a.u32())
	if a.bad || len(rest) < size+len(CRLF) || string(rest[size:size+len(CRLF)]) != CRLF ||
		!p.read(Options(a.rest), jobOptions) {
		return nil, nil, false
	}
	return rest[:size], rest[size+len(CRLF):], true
}

// malformed says that a line has a byte that no line may have.
func malformed(line []byte) bool {
	return bytes.IndexByte(line, 0) >= 0 || bytes.IndexByte(line, '\r') >= 0
}
