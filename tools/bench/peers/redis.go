//go:build linux

package peers

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"beanfield/tools/server"
)

// redis is Redis with lists, from which LMOVE takes into a list of the worker's own, and with streams.
func redis() (all []Peer) {
	for _, durable := range []bool{false, true} {
		p := Peer{Durable: durable, source: source{"redis-server", "usr/bin/redis-server"},
			launch: server.Launch{Command: "{root}/usr/bin/redis-server {config}", Config: redisFile(durable)}}
		settings := "`redis-server` with `" + strings.Join(strings.Split(redisFile(durable), "\n")[3:], "; ") + "`: "
		list, stream := p, p
		list.Name, list.dial, list.await = "Redis lists", dialList, dialDue
		list.Settings = settings + "RPUSH; LMOVE or BLMOVE into the worker's list; LREM. A delay is a ZADD; " +
			"each waiting worker calls a script every 5 ms, which moves what is due"
		stream.Name, stream.dial, stream.consume, stream.undelayed = "Redis Streams", dialStream, consumeStream, true
		stream.Settings = settings + "XADD; XREADGROUP, with BLOCK for pushes; XACK and XDEL. It has no delays"
		all = append(all, list, stream)
	}
	return all
}

func redisFile(durable bool) string {
	text := "bind 127.0.0.1\nport {port}\ndir {dir}\nsave \"\""
	if durable {
		text += "\nappendonly yes\nappendfsync always"
	}
	return text
}

// resp speaks RESP.
type resp struct {
	*wire
	own   string // of a worker: its list, or its name in the group
	taken [][]byte
	sent  int
}

func dialResp(s *server.Launched, worker int) (*resp, error) {
	w, err := open(s.Addr)
	return &resp{wire: w, own: fmt.Sprintf("%s-%d", tube, worker)}, err
}

// command writes a command; its answer is still to be read.
func (r *resp) command(args ...string) {
	r.printf("*%d\r\n", len(args))
	for _, a := range args {
		r.printf("$%d\r\n%s\r\n", len(a), a)
	}
	r.sent++
}

// with writes a command whose last argument is a body.
func (r *resp) with(body []byte, args ...string) {
	r.printf("*%d\r\n", len(args)+1)
	for _, a := range args {
		r.printf("$%d\r\n%s\r\n", len(a), a)
	}
	r.printf("$%d\r\n", len(body))
	r.out = append(append(r.out, body...), "\r\n"...)
	r.sent++
}

// An answer is a text, a number, many answers, or nothing.
type answer struct {
	text   []byte
	number int
	many   []answer
	none   bool
}

func (r *resp) answer() (a answer, err error) {
	line, err := r.line()
	if err != nil || len(line) == 0 {
		return a, fmt.Errorf("an empty answer: %w", err)
	}
	kind, rest := line[0], line[1:]
	switch kind {
	case '+':
		return answer{text: bytes.Clone(rest)}, nil
	case '-':
		return a, fmt.Errorf("redis answered %q", rest)
	}
	if a.number, err = strconv.Atoi(string(rest)); err != nil || kind == ':' {
		return a, err
	}
	if a.none = a.number < 0; a.none {
		return a, nil
	}
	if kind == '$' {
		a.text, err = r.body(a.number)
		return a, err
	}
	for i := 0; err == nil && i < a.number; i++ {
		var one answer
		one, err = r.answer()
		a.many = append(a.many, one)
	}
	return a, err
}

// answers sends what was written, and reads an answer to each command.
func (r *resp) answers() (all []answer, err error) {
	err = r.flush()
	for ; err == nil && r.sent > 0; r.sent-- {
		var a answer
		if a, err = r.answer(); err == nil {
			all = append(all, a)
		}
	}
	r.sent = 0
	return all, err
}

func (r *resp) ask(args ...string) (answer, error) {
	r.command(args...)
	all, err := r.answers()
	if err != nil {
		return answer{}, err
	}
	return all[0], nil
}

// each wants all commands to have found what they were about.
func (r *resp) each() error {
	all, err := r.answers()
	for _, a := range all {
		if a.number == 0 && a.text == nil {
			return fmt.Errorf("redis found nothing: %+v", a)
		}
	}
	return err
}

// A list is a client that has a list of its own, in which its jobs are until they are done.
type list struct{ *resp }

func dialList(s *server.Launched, worker int) (client, error) {
	r, err := dialResp(s, worker)
	return &list{r}, err
}

func (l *list) put(bodies [][]byte) error {
	for _, b := range bodies {
		l.with(b, "RPUSH", tube)
	}
	return l.each()
}

func (l *list) take(n int) (bodies [][]byte, err error) {
	for range n {
		l.command("LMOVE", tube, l.own, "LEFT", "RIGHT")
	}
	all, err := l.answers()
	for _, a := range all {
		if !a.none {
			bodies = append(bodies, a.text)
		}
	}
	if err == nil && len(bodies) == 0 {
		var a answer
		if a, err = l.ask("BLMOVE", tube, l.own, "LEFT", "RIGHT", "60"); err == nil && a.none {
			err = errStarved
		}
		bodies = append(bodies, a.text)
	}
	l.taken = append(l.taken, bodies...)
	return bodies, err
}

func (l *list) done() error {
	for _, b := range l.taken {
		l.with(b, "LREM", l.own, "1")
	}
	l.taken = l.taken[:0]
	return l.each()
}

func (l *list) count() (int, error) {
	a, err := l.ask("LLEN", tube)
	return a.number, err
}

const due = tube + "-due"

// delay keeps jobs in a set that is sorted by when they come due.
func (l *list) delay(bodies [][]byte, by time.Duration) error {
	for _, b := range bodies {
		l.with(b, "ZADD", due, strconv.FormatInt(time.Now().Add(by).UnixMicro(), 10))
	}
	return l.each()
}

const moveDue = `local all = redis.call('ZRANGE', KEYS[1], '-inf', ARGV[1], 'BYSCORE', 'LIMIT', 0, 100)
for _, body in ipairs(all) do redis.call('ZREM', KEYS[1], body); redis.call('RPUSH', KEYS[2], body) end
return #all`

// A dueList is a client that looks for jobs that have come due.
type dueList struct{ list }

func dialDue(s *server.Launched, worker int) (client, error) {
	r, err := dialResp(s, worker)
	return &dueList{list{r}}, err
}

func (l *dueList) take(int) ([][]byte, error) {
	for begun := time.Now(); time.Since(begun) < patience; time.Sleep(5 * time.Millisecond) {
		l.command("EVAL", moveDue, "2", due, tube, strconv.FormatInt(time.Now().UnixMicro(), 10))
		l.command("LMOVE", tube, l.own, "LEFT", "RIGHT")
		all, err := l.answers()
		if err != nil {
			return nil, err
		}
		if a := all[1]; !a.none {
			l.taken = append(l.taken, a.text)
			return [][]byte{a.text}, nil
		}
	}
	return nil, errStarved
}

// A stream is a client that is a consumer of a group.
type stream struct {
	*resp
	ids []string
	n   int // taken with one command, where jobs are pushed
}

func dialStream(s *server.Launched, worker int) (client, error) {
	r, err := dialResp(s, worker)
	if err != nil {
		return nil, err
	}
	if _, err = r.ask("XGROUP", "CREATE", tube, tube, "0", "MKSTREAM"); err != nil &&
		strings.Contains(err.Error(), "BUSYGROUP") {
		err = nil
	}
	return &stream{resp: r}, err
}

func consumeStream(s *server.Launched, worker, window int) (client, error) {
	c, err := dialStream(s, worker)
	if err == nil {
		c.(*stream).n = window
	}
	return c, err
}

func (s *stream) put(bodies [][]byte) error {
	for _, b := range bodies {
		s.with(b, "XADD", tube, "*", "b")
	}
	return s.each()
}

func (s *stream) take(n int) (bodies [][]byte, err error) {
	a, err := s.ask("XREADGROUP", "GROUP", tube, s.own, "COUNT", strconv.Itoa(n), "BLOCK", "60000", "STREAMS", tube, ">")
	switch {
	case err != nil:
		return nil, err
	case a.none:
		return nil, errStarved
	}
	for _, entry := range a.many[0].many[1].many {
		s.ids = append(s.ids, string(entry.many[0].text))
		bodies = append(bodies, entry.many[1].many[1].text)
	}
	return bodies, nil
}

func (s *stream) done() error {
	if len(s.ids) == 0 {
		return nil
	}
	s.command(append([]string{"XACK", tube, tube}, s.ids...)...)
	s.command(append([]string{"XDEL", tube}, s.ids...)...)
	s.ids = s.ids[:0]
	return s.each()
}

func (s *stream) count() (int, error) {
	a, err := s.ask("XLEN", tube)
	return a.number, err
}
