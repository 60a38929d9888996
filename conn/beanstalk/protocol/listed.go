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
			out = AppendRaw(out, "jobs", "[]")
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
			out = AppendRaw(out, "cursor", cursor)
		}
		return out
	})
}

// indent begins a line of a job, whose first one begins with a dash.
const indent = "  "

func appendListed(out []byte, k *queue.Listed, holder string) []byte {
	number := func(key string, n uint64) { out = AppendUint(append(out, indent...), key, n) }
	text := func(key, value string) { out = AppendString(append(out, indent...), key, value, QuoteNeeded) }
	out = AppendUint(append(out, '-', ' '), "id", k.ID)
	text("tube", k.Tube)
	text("state", k.State.String())
	number("pri", uint64(k.Pri))
	out = AppendInt(append(out, indent...), "age", k.Age)
	number("delay", uint64(k.Delay))
	number("ttr", uint64(k.TTR))
	out = AppendInt(append(out, indent...), "time-left", k.TimeLeft)
	number("reserves", uint64(k.Reserves))
	number("timeouts", uint64(k.Timeouts))
	number("releases", uint64(k.Releases))
	number("buries", uint64(k.Buries))
	number("kicks", uint64(k.Kicks))
	number("size", uint64(k.Size))
	if k.State == queue.Reserved {
		if holder != "" {
			text("holder", holder)
		}
		if k.Consumer != "" {
			text("consumer", k.Consumer)
		}
		if k.Held >= 0 {
			number("held", uint64(k.Held))
		}
	}
	if len(k.Tags) > 0 {
		out = append(out, indent+"tags:\n"...)
		for key, value := range k.Tags.All() {
			out = QuoteNeeded.append(append(out, indent+indent...), string(key))
			out = append(QuoteNeeded.append(append(out, ':', ' '), string(value)), '\n')
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
