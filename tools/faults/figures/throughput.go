package figures

import (
	"context"
	"os"
	"time"

	"beanfield/tools/server"
)

// A rate is what was measured in a round of puts, or of records that as many puts make.
type rate struct {
	all     float64       // puts
	puts    float64       // a second
	servers time.Duration // processors' time of the nodes, a put
	here    time.Duration // of this process
}

// rates measures what is done.
func (s *site) rates(do func() (puts float64, err error)) (r rate, err error) {
	used, err := s.used()
	if err != nil {
		return r, err
	}
	begun := time.Now()
	n, err := do()
	if err != nil {
		return r, err
	}
	took := time.Since(begun)
	now, err := s.used()
	each := func(d time.Duration) time.Duration { return time.Duration(float64(d) / n) }
	return rate{n, n / took.Seconds(), each(now.servers - used.servers), each(now.here - used.here)}, err
}

// used is the time of the processors that all have used so far.
func (s *site) used() (r rate, err error) {
	for _, n := range s.Nodes {
		t, err := server.CPUTime(n.PID())
		if err != nil {
			return r, err
		}
		r.servers += t
	}
	r.here, err = server.CPUTime(os.Getpid())
	return r, err
}

func (r rate) say(o Options, what string) {
	o.say("  %s: %.0f puts a second, %v of the nodes' processors for each, %v of this process's", what, r.puts, r.servers, r.here)
}

// burst has all connections put for the length of a round.
func (s *site) burst(ctx context.Context, o Options) (rate, error) {
	return s.rates(func() (float64, error) {
		limited, cancel := context.WithTimeout(ctx, o.Lasts)
		defer cancel()
		n, err := s.puts(limited, o.Body, 1<<40)
		return float64(n), err
	})
}

// throughput is that of durable puts.
func throughput(ctx context.Context, o Options) error {
	var three, bare, one, beside, both []float64
	var noted float64 // puts whose records were noted
	err := o.beside(ctx, func(s *stand) error {
		r, err := s.three.burst(ctx, o)
		noted = r.all
		return err
	}, func(s *stand) error {
		a, err := s.three.burst(ctx, o)
		if err != nil {
			return err
		}
		b, err := s.three.rates(func() (float64, error) {
			bytes := 0
			err := s.bare(ctx, func(size int, _ time.Duration) { bytes += size })
			return float64(bytes) / float64(s.bytes) * noted, err
		})
		if err != nil {
			return err
		}
		c, err := s.one.burst(ctx, o)
		if err != nil {
			return err
		}
		o.say("puts of %d bytes, records of %d bytes:", o.Body, s.bytes/s.records)
		a.say(o, "three nodes")
		b.say(o, "bare engines")
		c.say(o, "one node")
		three, bare, one = append(three, a.puts), append(bare, b.puts), append(one, c.puts)
		beside, both = append(beside, a.puts/b.puts), append(both, a.puts*(1/b.puts+1/c.puts))
		return nil
	})
	if err != nil {
		return err
	}
	o.say("durable puts, %d connections with %d in flight, medians of %d rounds: three nodes %.0f/s, bare engines %.0f/s, one node %.0f/s",
		connections, inFlight, o.Times, middle(three), middle(bare), middle(one))
	o.say("three nodes do %.2f of what the bare engines do, and %.2f of what these and one node would do by turns", middle(beside), middle(both))
	return nil
}
