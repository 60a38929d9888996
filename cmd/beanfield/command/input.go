package command

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
)

// stdin is what names standard input where a file or a body is expected.
const stdin = "-"

// open opens a file, or standard input.
func (c *call) open(name string) (io.ReadCloser, error) {
	if name == stdin {
		return io.NopCloser(c.Stdin), nil
	}
	return os.Open(name)
}

// readable is the name of a file that the server's own code reads, with standard input
// under the name that the system has for it.
func readable(file string) string {
	if file == stdin {
		return "/dev/stdin"
	}
	return file
}

// twice says whether a word is there more than once.
func twice(words []string, word string) bool {
	first := slices.Index(words, word)
	return first >= 0 && slices.Contains(words[first+1:], word)
}

// eachLine reads lines, the last of which need not have an end. It calls pause before it
// waits for input: what has been read so far must not wait too.
func eachLine(in io.Reader, pause func() error, each func(line []byte) error) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		if there, _ := r.Peek(r.Buffered()); bytes.IndexByte(there, '\n') < 0 {
			if err := pause(); err != nil {
				return err
			}
		}
		line, err := r.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(line) > 0 {
			if err := each(bytes.TrimSuffix(line, []byte("\n"))); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}
