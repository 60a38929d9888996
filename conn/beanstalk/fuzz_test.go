package beanstalk

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"beanfield/conn"
	peer "beanfield/conn/beanstalk/client"
	"beanfield/conn/beanstalk/protocol"
)

// fuzzMax is the largest body in FuzzConnection: small, so that bodies that
// are too big come up often.
const fuzzMax = 5000

// answers says which words may answer a command that is well formed.
var answers = map[string]string{
	"put": "INSERTED", "peek": "FOUND NOT_FOUND", "peek-ready": "FOUND NOT_FOUND",
	"peek-delayed": "FOUND NOT_FOUND", "peek-buried": "FOUND NOT_FOUND",
	"reserve-with-timeout": "RESERVED TIMED_OUT DEADLINE_SOON", "reserve": "RESERVED TIMED_OUT DEADLINE_SOON",
	"reserve-job": "RESERVED NOT_FOUND", "delete": "DELETED NOT_FOUND", "release": "RELEASED NOT_FOUND",
	"bury": "BURIED NOT_FOUND", "kick": "KICKED", "kick-job": "KICKED NOT_FOUND",
	"touch": "TOUCHED NOT_FOUND", "stats-job": "OK NOT_FOUND", "stats-tube": "OK NOT_FOUND", "stats": "OK",
	"use": "USING", "watch": "WATCHING", "ignore": "WATCHING NOT_IGNORED", "list-tubes-watched": "OK",
	"put-in-tube": "INSERTED", "put-with": "INSERTED EXISTS", "capabilities": "OK",
	"truncate": "TRUNCATED NOT_FOUND BAD_FORMAT", "reserve-batch": "RESERVED_BATCH TIMED_OUT DEADLINE_SOON",
	"list-tube-used": "USING", "list-tubes": "OK", "pause-tube": "PAUSED NOT_FOUND",
	"delete-batch": "DELETED_BATCH", "release-batch": "RELEASED_BATCH", "bury-batch": "BURIED_BATCH",
	"touch-batch": "TOUCHED_BATCH",
	"put-batch":   "INSERTED_BATCH", "call-off": "CALLED_OFF", "reserve-with": "RESERVED_WITH TIMED_OUT DEADLINE_SOON",
	"list-jobs": "OK NOT_FOUND BAD_FORMAT", "schedules": "OK",
	"move-jobs": "MOVED NOT_FOUND BAD_FORMAT", "change-jobs": "CHANGED NOT_FOUND BAD_FORMAT",
	"policies": "OK", "policy": "OK", "set-policies": "REFUSED",
}

// mostOf is how long a line that begins like this one may be.
func mostOf(line []byte) int {
	word, _, _ := strings.Cut(string(line), " ")
	switch word {
	case "put-in-tube":
		return 256
	case "put-with", "put-batch", "reserve-with", "list-jobs", "move-jobs", "change-jobs", "touch-batch", "truncate":
		return 1024
	}
	return 222
}

// expected walks over what a client sends and lists, for each command, the
// words that may answer it. Lines are read by parse, which FuzzParse checks;
// what is a line and what is a body is decided here anew.
func expected(in []byte) (replies []string) {
	for {
		line, rest, ok := bytes.Cut(in, []byte("\r\n"))
		if !ok {
			return replies
		}
		in = rest
		if len(line) > mostOf(line) {
			replies = append(replies, "BAD_FORMAT")
			continue
		}
		c := grammar.Parse(line)
		name := commands[c.Verb].name
		switch {
		case commands[c.Verb].login:
			replies = append(replies, "UNKNOWN_COMMAND") // nobody may log in
		case c.Word != "":
			replies = append(replies, strings.TrimSpace(string(c.Word)))
		case name == "quit":
			return replies
		case name == "reserve-with" && !new(protocol.ReserveLine).Read(c.Options):
			replies = append(replies, "BAD_FORMAT")
		case commands[c.Verb].body != nil:
			size := int(c.Size) + 2
			if len(in) < size {
				return replies
			}
			replies = append(replies, expectedWhole(c, in[:size])...)
			in = in[size:]
		case commands[c.Verb].hasBody && (c.Size > fuzzMax || !c.Trailing):
			size := int(c.Size) + 2
			if len(in) < size {
				return replies
			}
			body := in[:size]
			in = in[size:]
			switch {
			case c.Size > fuzzMax:
				replies = append(replies, "JOB_TOO_BIG")
			case name == "put-with" && !new(protocol.PutLine).Read(c.Options):
				replies = append(replies, "BAD_FORMAT")
			case !bytes.HasSuffix(body, []byte("\r\n")):
				replies = append(replies, "EXPECTED_CRLF")
			default:
				replies = append(replies, answers[name])
			}
		case commands[c.Verb].hasBody:
			replies = append(replies, "BAD_FORMAT")
		default:
			replies = append(replies, answers[name])
		}
	}
}

// expectedWhole lists the words that may answer a command whose body says what it is to do.
func expectedWhole(c protocol.Command, body []byte) []string {
	if commands[c.Verb].name == "put-batch" {
		return expectedPuts(c, body)
	}
	if commands[c.Verb].name == "set-policies" {
		return []string{expectedPolicies(c, body)}
	}
	return []string{expectedIDs(c, body)}
}

func expectedIDs(c protocol.Command, body []byte) string {
	ttr := regexp.MustCompile(`^(?: +| +ttr=0*([0-9]{1,10}(?:\.[0-9]{1,3})?) *)?$`)
	list, ended := bytes.CutSuffix(body, []byte("\r\n"))
	name := commands[c.Verb].name
	if name != "touch-batch" {
		ttr = regexp.MustCompile(`^ *$`)
	}
	if m := ttr.FindSubmatch(c.Options); len(m) > 1 && len(m[1]) > 0 {
		if s, err := strconv.ParseFloat(string(m[1]), 64); err != nil || s == 0 || s > 1<<32-1 {
			return "BAD_FORMAT"
		}
	}
	if _, ok := protocol.IDs(nil, list); !ttr.Match(c.Options) || len(list) > protocol.MostList || ended && !ok {
		return "BAD_FORMAT"
	}
	if !ended {
		return "EXPECTED_CRLF"
	}
	return answers[name]
}

func expectedPolicies(c protocol.Command, body []byte) string {
	switch version := regexp.MustCompile(`^(?: +| +version=[^ ]+ *)?$`); {
	case !version.Match(c.Options):
		return "BAD_FORMAT"
	case len(body) > conn.MaxPolicies+2:
		return "JOB_TOO_BIG"
	case !bytes.HasSuffix(body, []byte("\r\n")):
		return "EXPECTED_CRLF"
	}
	return answers["set-policies"]
}

// words takes replies apart and returns the first word of each.
func words(out []byte) (list []string, err error) {
	for in := bufio.NewReader(bytes.NewReader(out)); ; {
		reply, err := peer.ReadRaw(in)
		if len(reply) == 0 && err == io.EOF {
			return list, nil
		}
		if err != nil || !bytes.HasSuffix(reply, []byte("\r\n")) {
			return list, fmt.Errorf("%.100q is no reply, %v", reply, err)
		}
		lines := [][]byte{reply[:len(reply)-2]}
		if bytes.HasPrefix(reply, []byte("INSERTED_BATCH ")) { // one reply to a client, with a word for each job
			lines = bytes.Split(lines[0], []byte("\r\n"))
		}
		for _, line := range lines {
			word, _, _ := bytes.Cut(line, []byte(" "))
			list = append(list, string(word))
		}
	}
}

// talk sends all of in, in two pieces, says that there is no more, and
// returns all that comes back.
func (c *client) talk(in []byte, cut int) []byte {
	c.t.Helper()
	go func() {
		c.nc.SetWriteDeadline(time.Now().Add(patience))
		if _, err := c.nc.Write(in[:cut]); err == nil {
			c.nc.Write(in[cut:])
		}
		c.nc.(interface{ CloseWrite() error }).CloseWrite()
	}()
	c.nc.SetReadDeadline(time.Now().Add(patience))
	out, err := io.ReadAll(c.br)
	if err != nil && !strings.Contains(err.Error(), "reset") {
		c.t.Fatal(err)
	}
	return out
}

// fuzzConnection has one connection say anything, and checks its replies, one
// for each command and in order (C1); then that the server is well, by
// another connection's conversation and by all invariants.
func fuzzConnection(t *testing.T, in []byte, cut int) {
	h := newHouse(t, func(o *houseOptions) {
		o.MaxJobSize, o.shards, o.Loops = fuzzMax, 3, 1
	})
	out := h.pair().talk(in, cut)
	got, err := words(out)
	if err != nil {
		t.Fatalf("%.3000q brings %.3000q: %v", in, out, err)
	}
	want := withoutRefused(expected(in), got)
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || !slices.Contains(strings.Fields(want[i]), got[i]) {
			t.Fatalf("%.3000q brings as reply %d %.3000q, want %.3000q", in, i, got, want)
		}
	}
	c := h.pair()
	c.do("use follow-up", "USING follow-up")
	c.do("watch follow-up", "WATCHING 2")
	c.do("ignore default", "WATCHING 1")
	c.do("pause-tube follow-up 0", "PAUSED")
	id := c.put(0, 0, 60, "still here")
	c.do(fmt.Sprintf("reserve-job %d", id), fmt.Sprintf("RESERVED %d 10\r\nstill here", id))
	c.do(fmt.Sprintf("delete %d", id), "DELETED")
	most := bytes.Count(in, []byte("put")) + 1
	for _, w := range want {
		if w == insertedByBatch {
			most++
		}
	}
	if n := int(id); n > most {
		t.Fatalf("%q has used %d ids", in, n-1)
	}
	c.close()
	h.close()
}

func FuzzConnection(f *testing.F) {
	for _, tr := range readTranscripts(f) {
		var all []byte
		for _, s := range tr.steps {
			if s.kind == '>' {
				all = append(all, s.text...)
			}
		}
		if len(all) < 20000 {
			f.Add(all, uint16(len(all)/2))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte, cut uint16) {
		if len(in) > 60000 {
			return // more than is sure to fit into a socket whose reader waits
		}
		fuzzConnection(t, in, min(int(cut), len(in)))
	})
}

// TestRandomCommands is FuzzConnection on commands that are mostly right,
// many more at once than a fuzzer tries.
func TestRandomCommands(t *testing.T) {
	lines := sentLines(t)
	n := 60
	if testing.Short() {
		n = 10
	}
	for seed := range n {
		rnd := rand.New(rand.NewPCG(uint64(seed), 2))
		var in []byte
		for len(in) < 30000 {
			line := lines[rnd.IntN(len(lines))]
			if len(line) > 500 || string(line) == "quit" || bytes.HasPrefix(line, []byte("quit ")) {
				continue
			}
			in = append(append(in, line...), "\r\n"...)
		}
		fuzzConnection(t, in, rnd.IntN(len(in)))
	}
}
