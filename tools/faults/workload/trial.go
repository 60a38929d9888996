package workload

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/faults/tube"
	"beanfield/tools/marked"
)

const (
	trialClients = 3
	trialAsks    = 10 // of each client
	trialTTR     = 100_000
	// trialPause is the longest time between two questions of a client: short histories are to last
	// as long as faults do.
	trialPause = 600 * time.Millisecond
)

// A Trial is a few clients of one tube, who ask few things. Each comes to another node.
type Trial struct {
	*tube.History
	seeker  *Seeker
	now     func() time.Duration
	tokens  atomic.Uint64
	clients atomic.Int64
}

// NewTrial is a trial of a tube that nobody has used.
func NewTrial(s *Seeker, name string, now func() time.Duration) *Trial {
	return &Trial{History: tube.New(name), seeker: s, now: now}
}

// Play returns when all clients have asked what they have to ask, or ctx has ended.
func (t *Trial) Play(ctx context.Context, seed uint64) {
	var all sync.WaitGroup
	for i := range trialClients {
		all.Go(func() { t.client(ctx, t.seeker.At(i), rand.New(rand.NewPCG(seed, uint64(i)))) })
	}
	all.Wait()
}

// asker is one connection of a trial.
type asker struct {
	*Trial
	client *client.Client
	dice   *rand.Rand
	number int           // each connection is a client of its own in the history
	last   time.Duration // when it asked what it was last answered: until then its server has served it
	held   []uint64
}

func (t *Trial) client(ctx context.Context, s *Seeker, dice *rand.Rand) {
	for left := trialAsks; left > 0; {
		c, _, err := s.Find(ctx, dice)
		if err != nil {
			return
		}
		a := &asker{Trial: t, client: c, dice: dice, number: int(t.clients.Add(1)), last: t.now()}
		if _, err = c.Exchange("use "+t.Tube, "watch "+t.Tube, "ignore default"); err == nil {
			for err == nil && left > 0 && ctx.Err() == nil {
				err = a.ask()
				left--
				wait(ctx, time.Duration(dice.Int64N(int64(trialPause))))
			}
		}
		c.HangUp()
		t.Note(tube.Ask{Client: a.number, Kind: tube.HangUp, Outcome: tube.Done, Call: a.last})
		if ctx.Err() != nil {
			return
		}
	}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// ask asks one thing.
func (a *asker) ask() error {
	switch n := a.dice.IntN(10); {
	case n < 4:
		return a.put()
	case n < 7 || len(a.held) == 0:
		_, err := a.reserve()
		return err
	case n < 9:
		return a.give(tube.Delete, "DELETED", "delete %d")
	}
	return a.give(tube.Release, "RELEASED", "release %d 7 0")
}

// noted asks, and notes what of outcome and id the answer says. Whatever is none of the two words is not known.
func (a *asker) noted(k tube.Ask, yes, no, command string, body func(r client.Reply, k *tube.Ask)) (tube.Ask, error) {
	k.Client, k.Call, k.Return = a.number, a.now(), -1
	err := a.client.Send([]byte(command + "\r\n"))
	var r client.Reply
	if err == nil {
		r, err = a.client.Next()
	}
	if err == nil {
		k.Return = a.now()
		switch r.Word {
		case yes:
			k.Outcome = tube.Done
			body(r, &k)
		case no:
			k.Outcome = tube.Refused
		}
	}
	if k.Outcome != tube.Unknown {
		a.last = k.Call
	}
	a.Note(k)
	return k, err
}

func (a *asker) put() error {
	token := a.tokens.Add(1)
	body := marked.Body(token, marked.HeadLen)
	_, err := a.noted(tube.Ask{Kind: tube.Put, Token: token}, "INSERTED", "DRAINING", fmt.Sprintf("put 7 0 %d %d\r\n%s",
		trialTTR, len(body), body),
		func(r client.Reply, k *tube.Ask) { k.ID = r.Number })
	return err
}

// reserve returns the id of the job that came; 0 for none.
func (a *asker) reserve() (uint64, error) {
	k, err := a.noted(tube.Ask{Kind: tube.Reserve}, "RESERVED", "TIMED_OUT", "reserve-with-timeout 0",
		func(r client.Reply, k *tube.Ask) {
			k.ID = r.Number
			k.Token, _ = marked.Read(r.Body)
			a.held = append(a.held, r.Number)
		})
	return k.ID, err
}

func (a *asker) give(k tube.Kind, yes, format string) error {
	id := a.held[0]
	a.held = a.held[1:]
	_, err := a.noted(tube.Ask{Kind: k, ID: id}, yes, "NOT_FOUND", fmt.Sprintf(format, id),
		func(client.Reply, *tube.Ask) {})
	return err
}

// Drain reserves and deletes all that is left, when no connection holds a job any more. It returns
// when it began.
func (t *Trial) Drain(ctx context.Context, dice *rand.Rand) (began time.Duration, err error) {
	for range tries {
		if began, err = t.drain(ctx, dice); err == nil || ctx.Err() != nil {
			break
		}
	}
	return began, err
}

func (t *Trial) drain(ctx context.Context, dice *rand.Rand) (time.Duration, error) {
	c, _, err := t.seeker.Find(ctx, dice)
	if err != nil {
		return 0, err
	}
	defer c.HangUp()
	if err := released(ctx, c, "stats-tube "+t.Tube); err != nil {
		return 0, err
	}
	began := t.now()
	a := &asker{Trial: t, client: c, dice: dice, number: int(t.clients.Add(1)), last: began}
	if _, err := c.Exchange("watch "+t.Tube, "ignore default"); err != nil {
		return 0, err
	}
	for {
		id, err := a.reserve()
		if err == nil && id != 0 {
			err = a.give(tube.Delete, "DELETED", "delete %d")
		}
		if err != nil { // it begins anew, with another connection
			t.Note(tube.Ask{Client: a.number, Kind: tube.HangUp, Outcome: tube.Done, Call: a.last})
		}
		if err != nil || id == 0 {
			return began, err
		}
	}
}
