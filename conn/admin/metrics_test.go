package admin

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"beanfield/conn/secure"
	"beanfield/router"
	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/tally"

	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/encoding/protodelim"
)

// newRouter makes a router with so many queues, each with one item.
func newRouter(t testing.TB, tubes int) *router.Router {
	t.Helper()
	r := must.Get(router.New(router.Options{Shards: 2, Store: storage.Memory()}))
	t.Cleanup(func() { r.Close() })
	for i := range tubes {
		put(r, fmt.Sprintf("tube-%06d", i))
	}
	return r
}

func put(r *router.Router, tube string) uint64 {
	op := queue.Op{Kind: queue.Service, Size: 1, Data: []byte("x"), Ask: &queue.Ask{What: queue.AskPut, Queue: tube,
		Limits: &policy.Limits{}}}
	r.Ask(&op)
	return op.ID
}

func sources(s Shards) Sources {
	return Sources{
		Shards: s,
		Stats: func(sums *queue.Sums) []byte {
			return fmt.Appendf(nil, "current-jobs-ready: %d\ncmd-put: 3\nversion: \"1\"\n", sums.Ready)
		},
		Ready:        func() bool { return true },
		Connections:  func() map[string]int { return map[string]int{"http": 1} },
		Denied:       func() ByFrontEnd { return ByFrontEnd{"beanstalk": {"put": 3}} },
		Refusals:     func() ByFrontEnd { return ByFrontEnd{"http": {"Not Found": 2}} },
		Loops:        func() []Loop { return []Loop{{1, 2, 3}} },
		Latency:      func() map[string]*tally.Reading { return map[string]*tally.Reading{"put": someTimes()} },
		Slow:         func() uint64 { return 4 },
		Reasons:      func() map[string]uint64 { return map[string]uint64{"wrong option": 3} },
		Certificates: func() []Certificate { return nil },
		Handshakes:   func() secure.Counts { return secure.Counts{Made: 5, Failed: 1, Dropped: 7, Now: 3} },
	}
}

// someTimes has a thousand times of a millisecond, and one below a microsecond.
func someTimes() *tally.Reading {
	var s tally.Spread
	s.Add(tally.Time(1e6), 1000)
	s.Add(tally.Time(100), 1)
	r := &tally.Reading{}
	s.ReadTo(r)
	return r
}

// tells checks that a text has these lines.
func tells(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("there is no line %s in\n%s", line, text)
		}
	}
}

// ask scrapes, with headers in turn.
func ask(m *Metrics, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", "/metrics", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	m.ServeHTTP(w, r)
	return w
}

// What policies have done is told, of all tubes and of those that they cover.
func TestMetricsOfPolicies(t *testing.T) {
	r := newRouter(t, 3)
	r.SetPolicies(func(tube string) *policy.Policy {
		if tube == "full" {
			return &policy.Policy{Most: policy.Amount{1}}
		}
		return nil
	})
	for range 3 {
		put(r, "full")
	}
	text := ask(must.Get(NewMetrics(sources(r), MetricsOptions{MaxTubes: 10}))).Body.String()
	tells(t, text,
		`beanfield_policy_actions_total{action="refuse"} 2`, `beanfield_policy_actions_total{action="max_reserved"} 0`,
		`beanfield_tube_policy_actions_total{action="refuse",tube="full"} 2`,
		`beanfield_tube_policy_actions_total{action="drop",tube="full"} 0`,
	)
	if strings.Contains(text, `action="refuse",tube="tube`) {
		t.Error("a tube without a policy has a metric of one")
	}
}

// Limits of the server are told, and how near it is, while there are any.
func TestMetricsOfLimits(t *testing.T) {
	r := newRouter(t, 3)
	m := must.Get(NewMetrics(sources(r), MetricsOptions{MaxTubes: 10}))
	if text := ask(m).Body.String(); strings.Contains(text, "beanfield_limit") {
		t.Error("a server without limits has a metric of them")
	}
	r.SetLimits(policy.Amount{policy.BoundJobs: 4, policy.BoundMemory: 1000})
	for range 3 {
		put(r, "other")
	}
	text := ask(m).Body.String()
	tells(t, text,
		`beanfield_limit{of="jobs"} 4`, `beanfield_limit_used{of="jobs"} 4`,
		`beanfield_limit_refusals_total{of="jobs"} 2`,
		`beanfield_limit{of="memory"} 1000`, `beanfield_limit_used{of="memory"} 404`,
		`beanfield_limit_refusals_total{of="memory"} 0`,
	)
	if strings.Contains(text, `of="bytes"`) {
		t.Error("a bound that is not set has a metric")
	}
}

// What the sources say is told, in plain text, compressed and as OpenMetrics.
func TestMetricsText(t *testing.T) {
	m := must.Get(NewMetrics(sources(newRouter(t, 3)), MetricsOptions{MaxTubes: 10, Durable: true}))
	plain := ask(m).Body.String()
	zipped := must.Get(gzip.NewReader(ask(m, "Accept-Encoding", "gzip").Body))
	unzipped := must.Get(io.ReadAll(zipped))
	open := ask(m, "Accept", "application/openmetrics-text; version=1.0.0").Body.String()
	if !strings.HasSuffix(open, "# EOF\n") || strings.HasSuffix(plain, "# EOF\n") {
		t.Error("OpenMetrics ends with # EOF, and nothing else does")
	}
	for _, line := range []string{
		`beanfield_current_jobs_ready 3`, `beanfield_cmd_put_total 3`, `beanfield_info{version="1"} 1`,
		`beanfield_connections{face="http"} 1`,
		`beanfield_refusals_total{face="http",reason="Not Found"} 2`,
		`beanfield_denied_total{command="put",face="beanstalk"} 3`, `beanfield_loop_events_total{loop="0"} 2`,
		`beanfield_command_seconds_bucket{command="put",le="9.5367431640625e-07"} 1`,
		`beanfield_command_seconds_bucket{command="put",le="0.0009765625"} 1`,
		`beanfield_command_seconds_bucket{command="put",le="0.00390625"} 1001`,
		`beanfield_command_seconds_count{command="put"} 1001`, `beanfield_tls_handshakes_total{outcome="failed"} 1`,
		`beanfield_tls_handshakes_total{outcome="dropped"} 7`, "beanfield_slow_commands_total 4",
		"beanfield_tls_half_handshakes 3",
		`beanfield_tube_current_jobs_ready{tube="tube-000001"} 1`, `beanfield_queue_queues 3`,
		`beanfield_shard_log_records_total{shard="1"} 0`, `beanfield_shard_log_filled_ratio{shard="0"} 0`,
		`beanfield_shard_log_commit_seconds_count{shard="0"} 0`, `beanfield_shard_log_failed{shard="0"} 0`,
		`beanfield_other_tubes 0`,
	} {
		for what, text := range map[string]string{"plain text": plain, "gzip": string(unzipped), "OpenMetrics": open} {
			line := line
			if what == "OpenMetrics" {
				line, _, _ = strings.Cut(line, "} ") // it writes numbers in another way
			}
			if !strings.Contains(text, "\n"+line) {
				t.Errorf("%s has no line %s", what, line)
			}
		}
	}
}

// A server that asks for protobuf gets native histograms: the buckets hold what the
// classic ones hold, and their bounds enclose the values.
func TestNativeHistograms(t *testing.T) {
	m := must.Get(NewMetrics(sources(newRouter(t, 0)), MetricsOptions{}))
	body := ask(m, "Accept", "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; "+
		"encoding=delimited").Body
	for {
		f := &dto.MetricFamily{}
		if err := (protodelim.UnmarshalOptions{}).UnmarshalFrom(body, f); err == io.EOF {
			t.Fatal("there is no beanfield_command_seconds")
		} else if err != nil {
			t.Fatal(err)
		}
		if f.GetName() != "beanfield_command_seconds" {
			continue
		}
		h := f.Metric[0].Histogram
		if h.GetSchema() != 2 || h.GetZeroCount() != 1 || len(h.PositiveSpan) != 1 || len(h.PositiveDelta) != 1 ||
			h.PositiveDelta[0] != 1000 {
			t.Fatalf("the native histogram is %v", h)
		}
		// 1 ms is 2^-9.97: above 2^(-40/4), up to 2^(-39/4).
		if got := h.PositiveSpan[0].GetOffset(); got != -39 {
			t.Errorf("a millisecond is in bucket %d", got)
		}
		if len(h.Bucket) == 0 || h.GetSampleCount() != 1001 {
			t.Error("the classic histogram is missing")
		}
		return
	}
}

// Of many tubes only the busiest have metrics of their own, and the others are summed up.
func TestTheBusiestTubes(t *testing.T) {
	r := newRouter(t, 500)
	for range 3 {
		put(r, "tube-000400")
		put(r, "tube-000007")
	}
	put(r, "tube-000300")
	m := must.Get(NewMetrics(sources(r), MetricsOptions{MaxTubes: 4, Tubes: func(name string) bool {
		return name != "tube-000007"
	}}))
	text := ask(m).Body.String()
	for _, name := range []string{"tube-000400", "tube-000300", "tube-000000", "tube-000001"} {
		if !strings.Contains(text, `beanfield_tube_total_jobs_total{tube="`+name+`"}`) {
			t.Errorf("%s is not told", name)
		}
	}
	if n := strings.Count(text, "beanfield_tube_total_jobs_total{"); n != 4 {
		t.Errorf("%d tubes are told", n)
	}
	tells(t, text, "beanfield_other_tubes 497", "beanfield_other_tubes_total_jobs 499",
		"beanfield_current_jobs_ready 507")
}

// stuckShards is a router whose last shard does not answer before the scrape gives up.
type stuckShards struct {
	*router.Router
	end context.CancelFunc
}

func (s stuckShards) Look(ctx context.Context, i int) (router.Figures, bool) {
	if i == s.Shards()-1 {
		s.end()
		<-ctx.Done()
		return router.Figures{}, false
	}
	return s.Router.Look(ctx, i)
}

// A shard that hangs does not hide the others. Sums that would be wrong are left out.
func TestAShardThatHangs(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := must.Get(NewMetrics(sources(stuckShards{newRouter(t, 3), cancel}), MetricsOptions{MaxTubes: 10}))
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil).WithContext(ctx))
	text := w.Body.String()
	for line, want := range map[string]bool{
		`beanfield_shard_up{shard="0"} 1`: true, `beanfield_shard_up{shard="1"} 0`: true,
		`beanfield_shard_turns_total{shard="0"}`: true,
		`beanfield_shard_turns_total{shard="1"}`: false, `beanfield_current_jobs_ready`: false,
		`beanfield_queue_pushes_total`: false,
	} {
		if strings.Contains(text, "\n"+line) != want {
			t.Errorf("there is a line %s: %v, want %v", line, !want, want)
		}
	}
}

// More scrapes at once than allowed are refused, and the others go on.
func TestTooManyScrapes(t *testing.T) {
	src := sources(newRouter(t, 0))
	going, goOn := make(chan bool), make(chan bool)
	src.Ready = func() bool { going <- true; <-goOn; return true }
	m := must.Get(NewMetrics(src, MetricsOptions{}))
	var all sync.WaitGroup
	for range mostScrapes {
		all.Go(func() {
			if w := ask(m); w.Code != http.StatusOK {
				t.Errorf("a scrape is answered %d", w.Code)
			}
		})
		<-going
	}
	if w := ask(m); w.Code != http.StatusServiceUnavailable {
		t.Errorf("a scrape too many is answered %d", w.Code)
	}
	close(goOn)
	all.Wait()
}

// Scrapes while tubes are born and die.
func TestScrapeWhileTubesChange(t *testing.T) {
	r := newRouter(t, 300)
	m := must.Get(NewMetrics(sources(r), MetricsOptions{MaxTubes: 100, Aliases: []string{BeanstalkdExporter}}))
	stop := make(chan struct{})
	var all sync.WaitGroup
	for k := range 2 {
		all.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				tube := fmt.Sprintf("passing-%d-%d", k, i%500)
				id := put(r, tube)
				r.Ask(&queue.Op{Kind: queue.Service, Ask: &queue.Ask{What: queue.AskDelete, Queue: tube,
					Limits: &policy.Limits{}, Indexes: []uint64{id}}})
			}
		})
	}
	for range 30 {
		if w := ask(m); w.Code != http.StatusOK || strings.Count(w.Body.String(),
			"\nbeanfield_tube_pause_seconds{") != 100 {
			t.Errorf("a scrape is answered %d", w.Code)
		}
	}
	close(stop)
	all.Wait()
}

func TestMetricsOptionsThatCannotBe(t *testing.T) {
	for _, o := range []MetricsOptions{{MaxTubes: -1}, {Aliases: []string{"x"}}} {
		if _, err := NewMetrics(Sources{}, o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

// The goal: under 100 ms and 10 MB with a hundred thousand tubes.
func BenchmarkHundredThousandTubes(b *testing.B) {
	m := must.Get(NewMetrics(sources(newRouter(b, 100_000)), MetricsOptions{MaxTubes: DefaultMaxTubes,
		Aliases: []string{BeanstalkdExporter}}))
	b.ReportAllocs()
	for b.Loop() {
		w := ask(m)
		b.ReportMetric(float64(w.Body.Len()), "bytes/scrape")
	}
}
