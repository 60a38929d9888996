//go:build linux

package stalls

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/socket"
)

// Disturbances by very many jobs that change their state at once, and by one that is large. What puts them and brings
// them into their states is not measured.

// jobTTR is longer than any disturbance: no job may come back by itself.
const jobTTR = 3600

// put puts jobs, each with the delay of its moment.
func (d *disturbance) put(c *client.Client, n int, delay func() int) (ids []uint64, err error) {
	body := d.payload.Body
	p := c.Pipe(func(r client.Reply) error {
		ids = append(ids, r.Number)
		return r.Want("INSERTED")
	})
	for range n {
		if err := p.Put(fmt.Sprintf("put %d %d %d %d", load.JobPriority, delay(), jobTTR, len(body)), body); err != nil {
			return nil, err
		}
	}
	return ids, p.Flush()
}

func noDelay() int { return 0 }

// filled puts the jobs.
func (d *disturbance) filled() (one *client.Client, ids []uint64, err error) {
	if one, err = d.worker(); err == nil {
		ids, err = d.put(one, d.load.Backlog, noDelay)
	}
	return one, ids, err
}

// taken checks a job that was handed out.
func (d *disturbance) taken(r client.Reply) error {
	if err := r.Want("RESERVED"); err != nil {
		return err
	}
	if !d.payload.Intact(r.Body) {
		return fmt.Errorf("job %d came back with a body that was not put: %.40q", r.Number, r.Body)
	}
	return nil
}

const reserveNow = "reserve-with-timeout 0"

// kick makes every buried job ready with one command. Each was buried as soon as it was reserved: if all are reserved
// first, beanstalkd takes time that grows with the square of their number.
func (d *disturbance) kick() (func() error, error) {
	one, ids, err := d.filled()
	if err != nil {
		return nil, err
	}
	reserved := false
	err = stream(one, 2*len(ids), func(i int) string {
		if i%2 == 0 {
			return reserveNow
		}
		return fmt.Sprintf("bury %d %d", ids[i/2], load.JobPriority)
	}, func(r client.Reply) error {
		if reserved = !reserved; reserved {
			return d.taken(r)
		}
		return r.Want("BURIED")
	})
	n := len(ids)
	return func() error { return says(one, fmt.Sprintf("kick %d", n), fmt.Sprintf("KICKED %d", n)) }, err
}

// death closes the connection of one worker that holds every job.
func (d *disturbance) death() (func() error, error) {
	one, _, err := d.filled()
	if err != nil {
		return nil, err
	}
	worker, err := d.worker()
	if err != nil {
		return nil, err
	}
	seen := load.NewLedger()
	err = stream(worker, d.load.Backlog, func(int) string { return reserveNow }, func(r client.Reply) error {
		err := d.taken(r)
		if err == nil && !seen.Mark(r.Number) {
			err = fmt.Errorf("job %d was handed out twice", r.Number)
		}
		return err
	})
	return func() error { return errors.Join(worker.HangUp(), d.settled(one)) }, err
}

// settled is over when the counts of the disturbed tube say that every job is ready.
func (d *disturbance) settled(c *client.Client) error {
	return d.await(c, func(counts client.Document) (bool, error) {
		there := int64(0)
		for _, state := range []string{"ready", "reserved", "delayed", "buried"} {
			there += counts.Number("current-jobs-" + state)
		}
		if there != int64(d.load.Backlog) {
			return false, fmt.Errorf("the tube has %d jobs, and should have %d", there, d.load.Backlog)
		}
		return counts.Number("current-jobs-ready") == there, nil
	})
}

// sampleShare is the part of the jobs that is put first, to see how long all will take.
const sampleShare = 20

// due has jobs that all come due in one second.
func (d *disturbance) due() (func() error, error) {
	one, err := d.worker()
	if err != nil {
		return nil, err
	}
	n := max(1, d.load.Backlog/sampleShare)
	begun := time.Now()
	ids, err := d.put(one, n, noDelay)
	took := time.Since(begun) * time.Duration(d.load.Backlog/n)
	if err == nil {
		err = stream(one, n, func(i int) string { return fmt.Sprintf("delete %d", ids[i]) },
			func(r client.Reply) error { return r.Want("DELETED") })
	}
	if err != nil {
		return nil, err
	}
	// Half as long again and a second, in case the server is slower this time; then the peace.
	wait := took + took/2 + d.load.Peace + 2*time.Second
	last := time.Now().Add(time.Duration(math.Ceil(wait.Seconds())) * time.Second)
	d.starts = last.Add(-time.Second)
	if _, err := d.put(one, d.load.Backlog, func() int { return int(time.Until(last).Seconds()) }); err != nil {
		return nil, err
	}
	counts, err := one.Stats("stats-tube " + disturbedTube)
	if n := counts.Number("current-jobs-delayed"); err == nil && n != int64(d.load.Backlog) {
		err = fmt.Errorf("%d jobs are delayed, and should be %d", n, d.load.Backlog)
	}
	return func() error { return d.settled(one) }, err
}

// sought is in no body.
const sought = "+++no+job+has+this+++"

// search has the server look for a text in the bodies of the disturbed tube, page by page.
func (d *disturbance) search() (func() error, error) {
	one, _, err := d.filled()
	return func() error {
		options := []string{"tube=" + disturbedTube, "body=" + sought}
		for page := options; ; {
			jobs, cursor, err := one.ListJobs(page...)
			if err == nil && len(jobs) > 0 {
				err = errors.New("a search for what is not there has found a job")
			}
			if err != nil || cursor == "" {
				return err
			}
			page = append(options[:2:2], client.Option("cursor", cursor))
		}
	}, err
}

// largeBlock is how much goes out at most before the neighbour is checked.
const largeBlock = 64 << 10

// large puts one job of the largest size on one connection, and reserves and deletes it on another, which reads what
// comes as it is. Its body repeats one block, so it need not be in memory.
func (d *disturbance) large() (func() error, error) {
	one, err := d.worker()
	if err != nil {
		return nil, err
	}
	side, err := d.side(d.target.Addr)
	if err != nil {
		return nil, err
	}
	block := make([]byte, largeBlock)
	for i := range block {
		block[i] = byte(i % 251) // a prime, to see what is out of place
	}
	return func() error {
		size := d.load.Large
		err := one.Send(fmt.Appendf(nil, "put %d 0 %d %d\r\n", load.JobPriority, jobTTR, size))
		for left := size; left > 0 && err == nil; left -= largeBlock {
			err = one.Send(block[:min(left, largeBlock)])
		}
		if err != nil {
			return err
		}
		r, err := one.Ask("") // the body's end
		if err == nil {
			err = r.Want("INSERTED")
		}
		if err != nil {
			return err
		}
		return reserveLarge(side, r.Number, size, block)
	}, converse(side, "watch "+disturbedTube+"\r\n", "WATCHING 2\r\n")
}

func reserveLarge(s *socket.Side, id uint64, size int, block []byte) error {
	if err := converse(s, "reserve\r\n", fmt.Sprintf("RESERVED %d %d\r\n", id, size)); err != nil {
		return err
	}
	came := make([]byte, len(block))
	for at := 0; at < size; at += len(block) {
		n := min(size-at, len(block))
		if _, err := io.ReadFull(s, came[:n]); err != nil {
			return err
		}
		if !bytes.Equal(came[:n], block[:n]) {
			return fmt.Errorf("the body is not what was put, between %d and %d", at, at+n)
		}
	}
	return converse(s, fmt.Sprintf("delete %d\r\n", id), "\r\nDELETED\r\n")
}

// converse writes what is said, and reads exactly as many bytes as the answer must have.
func converse(s *socket.Side, say, want string) error {
	if _, err := io.WriteString(s, say); err != nil {
		return err
	}
	got := make([]byte, len(want))
	n, err := io.ReadFull(s, got)
	if err == nil && string(got) != want {
		err = fmt.Errorf("%s was answered %.80q", strings.TrimSpace(say), got[:n])
	}
	return err
}
