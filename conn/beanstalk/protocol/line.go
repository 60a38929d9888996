package protocol

import "bytes"

// MaxLine is how long a command line may be, without its CRLF. A line with the longest name of a tube
// and four numbers behind it may be longer, and one with options (options.go) much longer.
const (
	MaxLine    = 222
	MaxLong    = 256
	MaxOptions = 1024
)

// longer are the beginnings of lines that may be longer than MaxLine.
var longer = []struct {
	word string
	most int
}{
	{"put-in-tube ", MaxLong},
	{"put-with ", MaxOptions},
	{"put-batch ", MaxOptions},
	{"reserve-with ", MaxOptions},
	{"list-jobs ", MaxOptions},
	{"move-jobs ", MaxOptions},
	{"change-jobs ", MaxOptions},
	{"touch-batch ", MaxOptions},
	{"truncate ", MaxOptions},
}

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
	line, rest, state := lineWithin(data, MaxLine)
	if state == TooLong {
		for i := range longer {
			if l := &longer[i]; string(data[:len(l.word)]) == l.word {
				return lineWithin(data, l.most)
			}
		}
	}
	return line, rest, state
}

func lineWithin(data []byte, most int) (line, rest []byte, _ LineState) {
	window := data[:min(len(data), most+2)]
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
	if len(window) == most+2 {
		return nil, nil, TooLong
	}
	return nil, nil, Incomplete
}
