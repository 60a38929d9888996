//go:build linux

package load

import (
	"fmt"
	"time"

	"beanfield/conn/beanstalk/client"
)

// patience is longer than any reply takes that must come soon.
const patience = time.Minute

// stats asks a server for its counts until they are right, for as long as it may take to notice that connections have
// closed: what they held comes back then. A count that does not come right is the error.
func stats(addr, command string, right func(client.Document) error) error {
	const noticed = 10 * time.Second
	c, err := client.Dial(client.Options{Server: addr, Timeout: patience})
	if err != nil {
		return err
	}
	defer c.HangUp()
	retry := time.NewTicker(5 * time.Millisecond)
	defer retry.Stop()
	for end := time.Now().Add(noticed); ; <-retry.C {
		d, err := c.Stats(command)
		if err != nil {
			return err
		}
		if err = right(d); err == nil || time.Now().After(end) {
			return err
		}
	}
}

// Audit compares the counts of a tube, or of all, with the generator's: the jobs that were put and not deleted must be
// there, ready, and no others, beside those that were there before. The server must have no other users.
func (t *Tally) Audit(addr, command string, before client.Document) error {
	return stats(addr, command, func(after client.Document) error { return t.compare(before, after) })
}

func (t *Tally) compare(before, after client.Document) error {
	for _, of := range []struct {
		key    string
		change int64
	}{
		{"total-jobs", t.inserted}, {"current-jobs-ready", t.inserted - t.deleted}, {"current-jobs-reserved", 0},
		{"current-jobs-delayed", 0}, {"current-jobs-buried", 0},
	} {
		if want, got := before.Number(of.key)+of.change, after.Number(of.key); got != want {
			return fmt.Errorf("the server counts %s: %d, and should %d", of.key, got, want)
		}
	}
	return nil
}
