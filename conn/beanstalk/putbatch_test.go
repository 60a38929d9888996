package beanstalk

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"beanfield/conn/beanstalk/protocol"
)

var entryLine = regexp.MustCompile(`^ *([0-9]+) +([^ ]+) +([^ ]+) +([0-9]+)((?: +[^ ]+)*) *$`)

// insertedByBatch is how FuzzConnection tells such a job from one with a put of its own.
const insertedByBatch = "INSERTED EXISTS "

// spacedWords are parted by spaces: other white space is a part of a word.
func spacedWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ' ' })
}

// expectedPuts lists the words that may answer a put-batch. It reads the body in another way than the
// server. What may answer the whole of it stands beside INSERTED_BATCH.
func expectedPuts(c protocol.Command, body []byte) (replies []string) {
	list, ended := bytes.CutSuffix(body, []byte("\r\n"))
	options := spacedWords(string(c.Options))
	all := slices.Equal(options, []string{"all=true"})
	spaced := len(c.Options) == 0 || c.Options[0] == ' '
	switch {
	case !spaced || len(options) > 0 && !all && !slices.Equal(options, []string{"all=false"}):
		return []string{"BAD_FORMAT"}
	case len(list) > protocol.MostPuts:
		return []string{"JOB_TOO_BIG"}
	case !ended:
		return []string{"EXPECTED_CRLF"}
	}
	for len(list) > 0 {
		line, rest, _ := bytes.Cut(list, []byte("\r\n"))
		size, ok := sizeOfEntry(string(line))
		if !ok || len(rest) < size+2 || string(rest[size:size+2]) != "\r\n" {
			return []string{"BAD_FORMAT"}
		}
		if replies = append(replies, insertedByBatch); size > fuzzMax {
			replies[len(replies)-1] = "JOB_TOO_BIG"
		}
		list = rest[size+2:]
	}
	whole := "INSERTED_BATCH"
	switch {
	case len(replies) > protocol.MostSeveral:
		return []string{"BAD_FORMAT"}
	case all && slices.Contains(replies, "JOB_TOO_BIG"):
		return []string{"JOB_TOO_BIG"}
	case all && len(replies) > 1:
		whole += " NOT_TOGETHER EXISTS BAD_FORMAT" // the last one if a key comes twice
	case all:
		whole += " EXISTS"
	}
	return append([]string{whole}, replies...)
}

// sizeOfEntry reads the line of a job in a batch: it may say what a put-with may say.
func sizeOfEntry(line string) (size int, ok bool) {
	m := entryLine.FindStringSubmatch(line)
	if m == nil || len(line) > 1024 || strings.ContainsAny(line, "\r\x00") {
		return 0, false
	}
	n, err := strconv.ParseUint(m[4], 10, 32)
	same := fmt.Sprintf(" pri=%s delay=%s ttr=%s%s", m[1], m[2], m[3], m[5])
	return int(n), err == nil && new(protocol.PutLine).Read(protocol.Options(same))
}

// withoutRefused takes the jobs of the batches that were refused as a whole out of what is expected.
func withoutRefused(want, got []string) []string {
	for i := range got {
		if i >= len(want) || !strings.HasPrefix(want[i], "INSERTED_BATCH") || got[i] == "INSERTED_BATCH" {
			continue
		}
		end := i + 1
		for end < len(want) && want[end] == insertedByBatch {
			end++
		}
		want = slices.Delete(want, i+1, end)
	}
	return want
}

// A batch that is longer than a read, of jobs on all shards: ids are in its order, and every body is the
// job's.
func TestLongPutBatch(t *testing.T) {
	h := newHouse(t)
	c := h.pair()
	for _, tubes := range []int{1, 7} {
		var body strings.Builder
		for i := range protocol.MostSeveral {
			data := strings.Repeat(fmt.Sprintf("%d ", i), i%300)
			fmt.Fprintf(&body, "%d 0 60 %d tube=t%d\r\n%s\r\n", i, len(data), i%tubes, data)
		}
		c.send(fmt.Sprintf("put-batch %d\r\n%s\r\n", body.Len(), body.String()))
		c.expect("INSERTED_BATCH 1000")
		first := c.inserted()
		for i := uint64(1); i < protocol.MostSeveral; i++ {
			if id := c.inserted(); id != first+i {
				t.Fatalf("job %d has id %d, the first one %d", i, id, first)
			}
		}
		for i := range uint64(protocol.MostSeveral) {
			data := strings.Repeat(fmt.Sprintf("%d ", i), int(i%300))
			c.do(fmt.Sprintf("peek %d", first+i), fmt.Sprintf("FOUND %d %d\r\n%s", first+i, len(data), data))
		}
	}
}
