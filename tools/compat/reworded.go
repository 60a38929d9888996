package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
)

// In a reworded run the subject is told some commands in words that beanstalkd does not have, and that mean the same:
// a put as put-with, put-in-tube or a put-batch of one, a delete as a delete-batch of one, and so on. Its answers are
// brought into the reference's words, and all that follows must be equal: jobs, tubes, order, counts. Only the counters
// of commands in stats are not compared, because they are of other commands.

// rewording says some commands of a run otherwise.
type rewording struct {
	rng *rand.Rand
}

func newRewording(seed uint64) *rewording {
	return &rewording{rng: rand.New(rand.NewPCG(seed, 0x776f7264))}
}

// say gives every second command that can be said otherwise its other words.
func (w *rewording) say(m *member, c command) command {
	if w == nil || c.odd || w.rng.IntN(2) == 0 {
		return c
	}
	line, body, _ := strings.Cut(c.text, "\r\n")
	words := strings.Fields(line)
	switch c.verb {
	case "put":
		c.instead, c.back = w.put(m, words, strings.TrimSuffix(body, "\r\n"))
	case "delete", "touch", "release", "bury":
		c.instead, c.back = inBatch(c.verb, words[1], words[2:]...), oneOfBatch(c.verb)
	case "reserve-with-timeout":
		if words[1] == "0" {
			c.instead, c.back = "reserve-batch 1 0\r\n", unwrapped("RESERVED_BATCH 1")
		}
	}
	return c
}

// put is a put in other words.
func (w *rewording) put(m *member, words []string, body string) (instead string, back func(reply) reply) {
	pri, delay, ttr, size := words[1], words[2], words[3], words[4]
	switch w.rng.IntN(4) {
	case 0:
		return fmt.Sprintf("put-in-tube %s %s\r\n%s\r\n", m.use, strings.Join(words[1:], " "), body), nil
	case 1:
		return fmt.Sprintf("put-with %s ttr=%s pri=%s delay=%s\r\n%s\r\n", size, ttr, pri, delay, body), nil
	}
	all := []string{"", " all=true"}[w.rng.IntN(2)]
	jobs := fmt.Sprintf("%s\r\n%s\r\n", strings.Join(words[1:], " "), body)
	return fmt.Sprintf("put-batch %d%s\r\n%s\r\n", len(jobs), all, jobs), unwrapped("INSERTED_BATCH 1")
}

// inBatch is a batch of one job.
func inBatch(verb, id string, numbers ...string) string {
	return strings.Join(append(append([]string{verb + "-batch"}, numbers...), fmt.Sprint(len(id))), " ") + "\r\n" + id +
		"\r\n"
}

// pasts are the words of answers.
var pasts = map[string]string{"delete": "DELETED", "touch": "TOUCHED", "release": "RELEASED", "bury": "BURIED"}

// oneOfBatch turns the answer of such a batch into that of the single command.
func oneOfBatch(verb string) func(reply) reply {
	return func(r reply) reply {
		switch string(r.raw) {
		case pasts[verb] + "_BATCH 1 0\r\n":
			r.raw = []byte(pasts[verb] + "\r\n")
		case pasts[verb] + "_BATCH 0 1\r\n":
			r.raw = []byte("NOT_FOUND\r\n")
		}
		return r
	}
}

// unwrapped takes the line away in which an answer of one job begins.
func unwrapped(line string) func(reply) reply {
	return func(r reply) reply {
		if rest, ok := strings.CutPrefix(string(r.raw), line+"\r\n"); ok {
			r.raw = []byte(rest)
		}
		return r
	}
}

// reworded are all bytes of some commands, as the subject is told them.
func reworded(commands []command) []byte {
	var all []byte
	for _, c := range commands {
		all = append(all, cmp.Or(c.instead, c.text)...)
	}
	return all
}
