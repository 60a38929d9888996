package workload

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/faults/history"
	"beanfield/tools/marked"
)

// released waits until nobody holds a job, as a command for statistics has it. Tubes that are not
// there hold none.
func released(ctx context.Context, c *client.Client, command string) error {
	for {
		r, err := c.Ask(command)
		if err != nil || r.Word == "NOT_FOUND" {
			return err
		}
		if r.Document().Number("current-jobs-reserved") == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("jobs are still reserved: %w", ctx.Err())
		case <-time.After(pause):
		}
	}
}

// A settler looks at all that is left when the clients have gone.
type settler struct {
	seeker *Seeker
	ledger *history.Ledger
	dice   *rand.Rand
	looked map[uint64]bool
}

// tries is how often the settler begins again when its connection is lost: nodes may still change
// places.
const tries = 20

// Settle notes which jobs are there, takes them all out, and deletes them.
func Settle(ctx context.Context, s *Seeker, ledger *history.Ledger) error {
	t := &settler{seeker: s, ledger: ledger, dice: dice(), looked: map[uint64]bool{}}
	var err error
	for range tries {
		if err = t.once(ctx); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

func (t *settler) once(ctx context.Context) error {
	c, _, err := t.seeker.Find(ctx, t.dice)
	if err != nil {
		return fmt.Errorf("no node serves: %w", err)
	}
	defer c.HangUp()
	if err := released(ctx, c, "stats"); err != nil {
		return err
	}
	if err := t.look(c); err != nil {
		return err
	}
	return t.take(c)
}

// look asks for each job by its id.
func (t *settler) look(c *client.Client) error {
	ids := t.ledger.IDs()
	slices.Sort(ids)
	ids = slices.DeleteFunc(ids, func(id uint64) bool { return t.looked[id] })
	return marked.Look(c, ids, func(id uint64, stats, _ client.Reply, _ time.Time) error {
		t.looked[id] = true
		if stats.Word == "OK" {
			t.ledger.Found(id, 0, stats.Document().Get("state"))
		}
		return nil
	})
}

// most is more than there are jobs.
const most = 1_000_000

// take reserves and deletes all jobs of all tubes.
func (t *settler) take(c *client.Client) error {
	for _, name := range Tubes {
		for {
			r, err := c.Exchange("watch "+name, "use "+name, fmt.Sprintf("kick %d", most))
			if err != nil {
				return err
			}
			if r[2].Number == 0 { // it kicks what is buried, then what is delayed
				break
			}
		}
	}
	for {
		r, err := c.Ask("reserve-with-timeout 0")
		if err != nil {
			return err
		}
		if r.Word != "RESERVED" {
			break
		}
		token, err := marked.Read(r.Body)
		if err != nil {
			t.ledger.Find("FR1", "job %d has a damaged body at the end: %v", r.Number, err)
		}
		t.ledger.Found(r.Number, token, "")
		if _, err := c.Askf("delete %d", r.Number); err != nil {
			return err
		}
	}
	return t.empty(c)
}

// empty makes sure that nothing else is there.
func (t *settler) empty(c *client.Client) error {
	stats, err := c.Stats("stats")
	if err != nil {
		return err
	}
	if n := marked.Count(stats); n > 0 {
		return fmt.Errorf("%w: %d are still there when all were taken out", errLeft, n)
	}
	return nil
}

var errLeft = errors.New("the server has more jobs than can be reserved")
