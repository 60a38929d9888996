package main

import (
	"fmt"
	"strconv"
	"strings"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/marked"
)

// together puts some jobs that are all there after a crash, or none of them.
func (a *actor) together() {
	var list []*job
	var text []byte
	for range 2 + a.dice.IntN(6) {
		j := a.job(marked.HeadLen + a.dice.IntN(3000))
		text = append(text, j.text()+"\r\n"...)
		list = append(list, j)
	}
	a.l.join(list)
	a.add(func(r client.Reply) {
		if r.Word != "INSERTED_BATCH" || len(r.Jobs) != len(list) {
			a.l.failf("put-batch of %d: the answer is %q", len(list), r.Line)
			return
		}
		for i, j := range list {
			a.l.inserted(j, r.Jobs[i].Number)
		}
	}, "put-batch %d all=true\r\n%s", len(text), text)
}

// join makes a ring of jobs that are put together.
func (l *ledger) join(list []*job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, j := range list {
		j.with = list[(i+1)%len(list)]
	}
}

// putWith puts a job with a key, a tag, and a name of the put.
func (a *actor) putWith() {
	if strings.HasSuffix(a.used, ";rear") {
		return // nobody could ask for the tag
	}
	j := a.job(marked.HeadLen + a.dice.IntN(3000))
	a.l.name(j)
	a.add(a.inserted(j), "%s", j.putWith())
}

// putWith is the command that puts a job that has a name.
func (j *job) putWith() string {
	v, name := j.could[len(j.could)-1], strconv.FormatUint(j.token, 36)
	if j.put != nil {
		v = *j.put
	}
	return fmt.Sprintf("put-with %d tube=%s pri=%d delay=%d ttr=%d once=%s key=%s tag.tag=%s\r\n%s",
		j.size, j.tube, v.pri, v.delay, j.ttr, name, name, name, marked.Body(j.token, j.size))
}

// mostNamed is how many of the puts with names are sent again after a crash.
const mostNamed = 40

// name notes that a put has a name, and its job a key and a tag.
func (l *ledger) name(j *job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := j.could[1]
	j.put, j.tag = &v, strconv.FormatUint(j.token, 36)
	if l.named = append(l.named, j); len(l.named) > mostNamed {
		l.named = l.named[1:]
	}
}

// repeat sends the last puts with names again: each is answered with the job that it has made, also if that has ended,
// and if it has made none, with a new one. Then a key that a living job has is asked for. Nothing else happens
// meanwhile.
func (l *ledger) repeat(addr string) error {
	c, err := dial(addr)
	if err != nil {
		return err
	}
	defer c.HangUp()
	for _, j := range l.named {
		if j.id == 0 {
			l.born[j.token] = j
			j.could = []version{{state: unborn, tube: j.tube}, *j.put}
		}
		r, err := c.Exchange(j.putWith())
		switch {
		case err != nil:
			return err
		case r[0].Word != "INSERTED" || j.id != 0 && r[0].Number != j.id:
			l.failf("job %d (token %x), put again by its name, is answered %q", j.id, j.token, r[0].Line)
		case j.id == 0:
			l.inserted(j, r[0].Number)
		}
		if j.moved || j.now().state == gone {
			continue
		}
		key := strconv.FormatUint(j.token, 36)
		if r, err = c.Exchange(fmt.Sprintf("put-with 1 tube=%s key=%s\r\nx", j.tube, key)); err != nil {
			return err
		}
		if r[0].Word != "EXISTS" || r[0].Number != j.id {
			l.failf("job %d (token %x) has a key, and who asks for it is answered %q", j.id, j.token, r[0].Line)
		}
	}
	return nil
}
