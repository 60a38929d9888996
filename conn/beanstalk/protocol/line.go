package protocol

import "bytes"

// MaxLine is how long a command line may be, without its CRLF.
const MaxLine = 222

// CRLF ends a line and a body.
const CRLF = "\r\n"

// LineState says what NextLine has found.
type LineState uint8

const (
	Complete LineState = iota
	Incomplete
	TooLong
)

// NextLine finds the next line; only CRLF ends one.
func NextLine(data []byte) (line, rest []byte, _ LineState) {
	window := data[:min(len(data), MaxLine+2)]
	for from := 0; ; {
		i := bytes.IndexByte(window[from:], '\n')
		if i < 0 {
			break
		}
		if i += from; i > 0 && window[i-1] == '\r' {
			return data[:i-1], data[i+1:], Complete
		}
		from = i + 1
	}
	if len(window) == MaxLine+2 {
		return nil, nil, TooLong
	}
	return nil, nil, Incomplete
}
