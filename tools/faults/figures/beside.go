package figures

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"beanfield/tools/nodes"
)

// beside measures something of three nodes and of one, round by round.
func (o Options) beside(ctx context.Context, do func(s *site) error) error {
	three, err := o.open(ctx, nodes.Default...)
	if err != nil {
		return err
	}
	defer three.Close()
	one, err := o.open(ctx, "a")
	if err != nil {
		return err
	}
	defer one.Close()
	for range o.Times {
		if _, err := three.well(ctx, 0); err != nil {
			return err
		}
		for _, s := range []*site{three, one} {
			if err := do(s); err != nil {
				return err
			}
		}
	}
	return errors.Join(three.Stop(), one.Stop())
}

// throughput is that of durable puts.
func throughput(ctx context.Context, o Options) error {
	rates := map[int][]float64{} // by the number of nodes
	err := o.beside(ctx, func(s *site) error {
		limited, cancel := context.WithTimeout(ctx, o.Lasts)
		defer cancel()
		begun := time.Now()
		n, err := s.puts(limited, o.Body, 1<<40)
		rate := float64(n) / time.Since(begun).Seconds()
		rates[len(s.Nodes)] = append(rates[len(s.Nodes)], rate)
		o.say("%d nodes: %.0f puts of %d bytes a second", len(s.Nodes), rate, o.Body)
		return err
	})
	if err != nil {
		return err
	}
	three, one := middle(rates[3]), middle(rates[1])
	o.say("durable puts, %d connections with %d in flight, medians of %d rounds: three nodes %.0f/s, one node %.0f/s: %.2f of it", connections, inFlight, o.Times, three, one, three/one)
	return nil
}

func middle(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// latency is that of one client's puts.
func latency(ctx context.Context, o Options) error {
	times := map[int][]time.Duration{}
	err := o.beside(ctx, func(s *site) error {
		c, _, err := s.seeker.Find(ctx, s.dice)
		if err != nil {
			return err
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
				return err
			}
			times[len(s.Nodes)] = append(times[len(s.Nodes)], time.Since(begun))
		}
		return nil
	})
	for _, n := range []int{3, 1} {
		if t := times[n]; err == nil {
			slices.Sort(t)
			o.say("one client, puts of %d bytes, %d nodes: p50 %v, p99 %v of %d", o.Body, n, t[len(t)/2].Round(time.Microsecond), t[len(t)*99/100].Round(time.Microsecond), len(t))
		}
	}
	return err
}
