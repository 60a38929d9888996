package figures

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"beanfield/tools/nodes"
	"beanfield/tools/server"
)

// memory is what nodes have in memory under load: first when hardly a job is there, and then with
// jobs that stay. Who gives -dir finds heap profiles there.
func memory(ctx context.Context, o Options) error {
	o.Profiles = true
	s, err := o.open(ctx, nodes.Default...)
	if err != nil {
		return err
	}
	defer s.Close()
	s.wide = true
	amounts := []int{0}
	if o.Jobs > 0 {
		amounts = append(amounts, o.Jobs)
	}
	for _, o.Jobs = range amounts {
		if err := s.fill(ctx, o); err != nil {
			return err
		}
		for round := range o.Times {
			if err := s.residents(ctx, o, fmt.Sprintf("%d-jobs-%d", o.Jobs, round+1)); err != nil {
				return err
			}
		}
	}
	return s.Stop()
}

// residents puts and deletes jobs for one round, and says what each node had in memory meanwhile.
func (s *site) residents(ctx context.Context, o Options, name string) error {
	owner, err := s.well(ctx, 0)
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, o.Lasts)
	defer cancel()
	most, begun := make([]int64, len(s.Nodes)), make([]server.Usage, len(s.Nodes))
	for i, n := range s.Nodes {
		if begun[i], err = server.UsageOf(n.PID()); err != nil {
			return err
		}
	}
	var looks sync.WaitGroup
	looks.Go(func() {
		for limited.Err() == nil {
			for i, n := range s.Nodes {
				most[i] = max(most[i], anonymous(n))
			}
			time.Sleep(look)
		}
	})
	pairs, err := s.churn(limited, o.Body, o.Rate)
	looks.Wait()
	if err != nil {
		return err
	}
	o.say("%d jobs are there; %.0f puts and as many deletes a second, of %d bytes", o.Jobs, float64(pairs)/o.Lasts.Seconds(), o.Body)
	for i, n := range s.Nodes {
		used, err := server.UsageOf(n.PID())
		if err != nil {
			return err
		}
		text, err := get(n, "/metrics")
		if err != nil {
			return err
		}
		profile, err := get(n, "/debug/pprof/heap")
		if err == nil {
			err = os.WriteFile(filepath.Join(o.Dir, fmt.Sprintf("heap-%s-%s", name, n.Name)), profile, 0o600)
		}
		if err != nil {
			return err
		}
		role := "follows"
		if n == owner {
			role = "serves"
		}
		o.say("  node %s %s: RssAnon %d MB at most, %d MB in the end; Go: heap in use %d MB, of which %d MB are allocated, idle %d MB, stacks %d MB; %.1f µs of processor time for each job", n.Name, role,
			most[i]>>20, anonymous(n)>>20, sample(text, "go_memstats_heap_inuse_bytes")>>20, sample(text, "go_memstats_heap_alloc_bytes")>>20,
			(sample(text, "go_memstats_heap_idle_bytes")-sample(text, "go_memstats_heap_released_bytes"))>>20, sample(text, "go_memstats_stack_inuse_bytes")>>20,
			float64((used.CPU-begun[i].CPU).Microseconds())/float64(pairs))
	}
	return nil
}

// anonymous is how much memory of a node's process is no file's.
func anonymous(n *nodes.Node) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", n.PID()))
	return server.Field(text, "RssAnon:")
}

// get asks a node over HTTP.
func get(n *nodes.Node, path string) ([]byte, error) {
	r, err := http.Get("http://" + n.HTTP + path)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err == nil && r.StatusCode != http.StatusOK {
		err = fmt.Errorf("node %s: %s: %s", n.Name, path, r.Status)
	}
	return text, err
}

// sample is the value of a metric without labels.
func sample(text []byte, name string) int64 {
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == name {
			value, _ := strconv.ParseFloat(f[1], 64)
			return int64(value)
		}
	}
	return 0
}
