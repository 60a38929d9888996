package protocol

// MostPuts is how long the body of a command with many jobs may be, in bytes. So no job in it has to be
// staged (storage.LargeBody).
const MostPuts = 1 << 20

// Entry is a job in such a body: a line like that of a put, without the word, and then the job's body.
type Entry struct {
	Pri, Delay, TTR uint32
	Options         Options
	Data            []byte
}

// NextEntry reads the first entry of a body. What it has read is borrowed from there.
func NextEntry(body []byte) (e Entry, rest []byte, ok bool) {
	line, rest, state := lineWithin(body, MaxOptions)
	if state != Complete {
		return e, nil, false
	}
	a := args{rest: line}
	e.Pri, e.Delay, e.TTR = a.u32(), a.u32(), a.u32()
	size := int(a.u32())
	if e.Options = Options(a.rest); a.bad || len(rest) < size+len(CRLF) || string(rest[size:size+len(CRLF)]) != CRLF {
		return e, nil, false
	}
	e.Data = rest[:size]
	return e, rest[size+len(CRLF):], true
}
