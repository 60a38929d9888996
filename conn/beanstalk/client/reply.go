package client

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Reply is one answer of a server.
type Reply struct {
	Line   string
	Word   string  // its first word
	Number uint64  // the one behind it: an id, or a count
	Body   []byte  // of RESERVED, FOUND, OK and REFUSED
	Jobs   []Reply // the replies within RESERVED_BATCH, RESERVED_WITH and INSERTED_BATCH
	to     asked
}

// asked is a command that was sent, and the tube that was in use.
type asked struct{ command, used string }

// Refused is a reply other than the one that means success, and what it was a reply to.
type Refused struct{ Word, Command, Used string }

func (e Refused) Error() string {
	switch e.Word {
	case "NOT_FOUND":
		return "not found"
	case "DRAINING":
		return "the server takes no new jobs: DRAINING"
	case "JOB_TOO_BIG":
		return "the job is larger than the server allows: JOB_TOO_BIG"
	}
	return "the server answers " + e.Word
}

// Want returns Refused unless the reply begins with one of these words.
func (r Reply) Want(words ...string) error {
	if slices.Contains(words, r.Word) {
		return nil
	}
	return Refused{r.Word, r.to.command, r.to.used}
}

const (
	maxLine = 4 << 10 // a job with many tags
	maxBody = 1<<30 + 1<<20
)

// errStranger says that something other than a beanstalkd answers.
var errStranger = errors.New("this is not a reply of beanstalkd")

// readReply reads the next reply.
func readReply(in *bufio.Reader) (Reply, error) {
	line, err := in.ReadSlice('\n')
	if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
		return Reply{}, err
	}
	text, ok := strings.CutSuffix(string(line), "\r\n")
	words := strings.Fields(text)
	if !ok || len(text) > maxLine || len(words) == 0 {
		return Reply{}, fmt.Errorf("%w: %.60q", errStranger, line)
	}
	r := Reply{Line: text, Word: words[0]}
	if len(words) > 1 {
		r.Number, _ = strconv.ParseUint(words[1], 10, 64) // USING and a name have none
	}
	for range batch(words) {
		job, err := readReply(in)
		if err != nil {
			return r, err
		}
		r.Jobs = append(r.Jobs, job)
	}
	if !carries(words) {
		return r, nil
	}
	n, ok := bodySize(words)
	if !ok {
		return r, fmt.Errorf("%w: %q", errStranger, text)
	}
	r.Body = make([]byte, n+2)
	if _, err := io.ReadFull(in, r.Body); err != nil {
		return r, err
	}
	if string(r.Body[n:]) != "\r\n" {
		return r, fmt.Errorf("%w: no line end behind the body", errStranger)
	}
	r.Body = r.Body[:n]
	return r, nil
}

// carries says whether a body follows a line of these words.
func carries(words []string) bool {
	switch words[0] {
	case "OK", "REFUSED":
		return len(words) == 2
	case "RESERVED":
		return len(words) >= 3 // behind that is what reserve-with tells
	case "FOUND":
		return len(words) == 3
	}
	return false
}

// mostJobs is how many jobs a reply may have.
const mostJobs = 1000

// batch is how many replies, each about a job, follow a line of these words.
func batch(words []string) int {
	switch words[0] {
	case "RESERVED_BATCH", "RESERVED_WITH", "INSERTED_BATCH":
	default:
		return 0
	}
	if len(words) != 2 {
		return 0
	}
	n, err := strconv.ParseUint(words[1], 10, 64)
	if err != nil || n > mostJobs {
		return 0
	}
	return int(n)
}

// bodySize is how many bytes follow such a line, without the last CRLF.
func bodySize(words []string) (int, bool) {
	n, err := strconv.ParseUint(words[min(len(words)-1, 2)], 10, 64)
	return int(n), err == nil && n <= maxBody
}

// ReadRaw reads a reply byte for byte, for those who compare servers. Whatever is no reply
// is taken for a line without a body. What is left when the stream ends in the middle is
// returned as it is, with the error.
func ReadRaw(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadBytes('\n')
	words := strings.Fields(string(line))
	if err != nil || len(words) == 0 {
		return line, err
	}
	for range batch(words) {
		job, err := ReadRaw(in)
		if line = append(line, job...); err != nil {
			return line, err
		}
	}
	if !carries(words) {
		return line, nil
	}
	n, ok := bodySize(words)
	if !ok {
		return line, nil
	}
	raw := make([]byte, len(line)+n+2)
	copy(raw, line)
	got, err := io.ReadFull(in, raw[len(line):])
	return raw[:len(line)+got], err
}
