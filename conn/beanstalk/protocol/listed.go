package protocol

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"beanfield/shard/queue"
)

// AppendListed writes a list of jobs and the cursor of its next page; "" if that was the last.
// holder says who has a reserved job; "" if it is not to be told. Bodies are shown if bodies is above
// 0. Strings are quoted where that is needed, and bodies always: who reads this command's replies
// knows how.
func AppendListed(out []byte, jobs []queue.Listed, cursor string, bodies bool,
	holder func(*queue.Listed) string) []byte {
	return AppendYAML(out, func(out []byte) []byte {
		if len(jobs) == 0 {
			out = append(out, "jobs: []\n"...)
		} else {
			out = append(out, "jobs:\n"...)
		}
		for i := range jobs {
			out = appendListed(out, &jobs[i], holder(&jobs[i]))
			if bodies {
				out = appendBody(out, &jobs[i])
			}
		}
		if cursor != "" {
			out = fmt.Appendf(out, "cursor: %s\n", cursor)
		}
		return out
	})
}

// indent begins a line of a job, whose first one begins with a dash.
const indent = "  "

func appendListed(out []byte, k *queue.Listed, holder string) []byte {
	text := QuoteNeeded.Text
	out = fmt.Appendf(out, "- id: %d\n  tube: %s\n  state: %s\n  pri: %d\n  age: %d\n  delay: %d\n  ttr: %d\n"+
		"  time-left: %d\n  reserves: %d\n  timeouts: %d\n  releases: %d\n  buries: %d\n  kicks: %d\n  size: %d\n",
		k.ID, text(k.Tube), k.State, k.Pri, k.Age, k.Delay, k.TTR, k.TimeLeft,
		k.Reserves, k.Timeouts, k.Releases, k.Buries, k.Kicks, k.Size)
	if k.State == queue.Reserved {
		if holder != "" {
			out = fmt.Appendf(out, "  holder: %s\n", text(holder))
		}
		if k.Consumer != "" {
			out = fmt.Appendf(out, "  consumer: %s\n", text(k.Consumer))
		}
		if k.Held >= 0 {
			out = fmt.Appendf(out, "  held: %d\n", k.Held)
		}
	}
	if len(k.Tags) > 0 {
		out = append(out, "  tags:\n"...)
		for key, value := range k.Tags.All() {
			out = fmt.Appendf(out, "    %s: %s\n", text(string(key)), text(string(value)))
		}
	}
	return appendBeen(out, k.Been)
}

// appendBeen writes where a job has been, on one line, which is JSON, too.
func appendBeen(out []byte, list []queue.Trace) []byte {
	if len(list) == 0 {
		return out
	}
	out = append(out, indent+"been: ["...)
	for i, t := range list {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = fmt.Appendf(out, `{"tube": %+q, "why": "%s", "when": "%s", "reserves": %d, "timeouts": %d, `+
			`"releases": %d}`,
			t.From, t.Why, time.Unix(0, t.When).UTC().Format(time.RFC3339), t.Reserves, t.Timeouts, t.Releases)
	}
	return append(out, "]\n"...)
}

// appendBody writes the beginning of a body: as text if it is UTF-8, up to its last whole character.
func appendBody(out []byte, k *queue.Listed) []byte {
	body := k.Body
	for n := 1; n < utf8.UTFMax && len(body) < int(k.Size) && n < len(body) && !utf8.Valid(body); n++ {
		if cut := k.Body[:len(k.Body)-n]; utf8.Valid(cut) {
			body = cut
		}
	}
	if !utf8.Valid(body) {
		out = append(out, indent+"body-base64: \""...)
		return append(base64.StdEncoding.AppendEncode(out, body), "\"\n"...)
	}
	return append(strconv.AppendQuoteToASCII(append(out, indent+"body: "...), string(body)), '\n')
}

// AppendAltered writes how many jobs a command has altered and how many not, and where it goes on.
func AppendAltered(out []byte, head string, done, not int, cursor string) []byte {
	out = AppendNumbers(out, head, uint64(done), uint64(not))
	if cursor != "" {
		out = append(append(out[:len(out)-len(CRLF)], ' '), cursor...)
		out = append(out, CRLF...)
	}
	return out
}
