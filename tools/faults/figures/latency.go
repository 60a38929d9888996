package figures

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// latency is that of one client's puts.
func latency(ctx context.Context, o Options) error {
	var all [3][]time.Duration
	var beside, share []float64
	err := o.beside(ctx, func(s *stand) error {
		_, err := s.three.alone(ctx, o)
		return err
	}, func(s *stand) (err error) {
		var took [3][]time.Duration
		if took[0], err = s.three.alone(ctx, o); err != nil {
			return err
		}
		if err = s.bare(ctx, func(_ int, d time.Duration) { took[1] = append(took[1], d) }); err != nil {
			return err
		}
		if took[2], err = s.one.alone(ctx, o); err != nil {
			return err
		}
		for i := range took {
			all[i] = append(all[i], took[i]...)
		}
		a, b, c := middle(took[0]), middle(took[1]), middle(took[2])
		beside, share = append(beside, float64(a)/float64(b)), append(share, float64(a)/float64(c))
		o.say("p50: three nodes %v, bare engines %v (records of %d bytes), one node %v", a, b, s.bytes/s.records, c)
		return nil
	})
	if err != nil {
		return err
	}
	for i, what := range []string{"three nodes", "bare engines", "one node"} {
		t := all[i]
		slices.Sort(t)
		o.say("one client, puts of %d bytes, %s: p50 %v, p99 %v of %d", o.Body, what, t[len(t)/2].Round(time.Microsecond), t[len(t)*99/100].Round(time.Microsecond), len(t))
	}
	o.say("p50, medians of the ratios of %d rounds: three nodes take %.2f of the bare engines' time, %.2f of one node's", o.Times, middle(beside), middle(share))
	return nil
}

// alone has one client put jobs, one after the other, and says how long each took.
func (s *site) alone(ctx context.Context, o Options) (times []time.Duration, err error) {
	c, _, err := s.seeker.Find(ctx, s.dice)
	if err != nil {
		return nil, err
	}
	defer c.HangUp()
	text := []byte(strings.Repeat("x", o.Body))
	command := fmt.Sprintf("put 0 0 60 %d", o.Body)
	for end := time.Now().Add(o.Lasts); time.Now().Before(end); {
		begun := time.Now()
		r, err := c.Put(command, text)
		if err == nil {
			err = r.Want("INSERTED")
		}
		if err != nil {
			return nil, err
		}
		times = append(times, time.Since(begun))
	}
	return times, nil
}
