package admin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"beanfield/storage/tally"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// MetricsOptions are what Metrics are made with.
type MetricsOptions struct {
	// MaxTubes is how many tubes have metrics of their own: the busiest. The others are
	// summed up.
	MaxTubes int
	// Tubes says which tubes may have metrics of their own; nil for all.
	Tubes func(name string) bool
	// Aliases are other programs whose metric names are used too: BeanstalkdExporter.
	Aliases []string
	// Instance is the label of that name in these, "host:port".
	Instance string
	// Durable says that there are logs.
	Durable bool
}

// BeanstalkdExporter is an alias: the metrics of messagebird's beanstalkd_exporter.
const BeanstalkdExporter = "beanstalkd_exporter"

// DefaultMaxTubes is for MetricsOptions.MaxTubes.
const DefaultMaxTubes = 1000

// Metrics answers scrapes. It is the handler of /metrics.
type Metrics struct {
	opts    atomic.Pointer[MetricsOptions] // Change replaces them
	src     Sources
	process *prometheus.Registry // Go's runtime, and the process
	scrapes chan struct{}        // has room for those that may go on at once

	mu    sync.Mutex
	descs map[string]*prometheus.Desc // by name and labels
	past  tally.Spread                // how long scrapes took; mu is held
	made  uint64
}

// mostScrapes bounds how many scrapes go on at once. A scrape takes memory and time.
const mostScrapes = 2

// scrapeLimit is how long a scrape waits for the shards.
const scrapeLimit = 5 * time.Second

// NewMetrics makes the handler of /metrics.
func NewMetrics(src Sources, o MetricsOptions) (*Metrics, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	m := &Metrics{
		src: src, process: prometheus.NewRegistry(), scrapes: make(chan struct{}, mostScrapes),
		descs: map[string]*prometheus.Desc{},
	}
	m.opts.Store(&o)
	return m, errors.Join(m.process.Register(collectors.NewGoCollector()),
		m.process.Register(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})))
}

func (o *MetricsOptions) complete() error {
	if o.MaxTubes < 0 {
		return errors.New("admin: a negative number of tubes")
	}
	for _, a := range o.Aliases {
		if a != BeanstalkdExporter {
			return fmt.Errorf("admin: no alias %q", a)
		}
	}
	if o.Tubes == nil {
		o.Tubes = func(string) bool { return true }
	}
	return nil
}

// Change makes options ready that are to hold from the next scrape on. If nothing is wrong
// with them, apply puts them into effect.
func (m *Metrics) Change(o MetricsOptions) (apply func(), err error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	return func() { m.opts.Store(&o) }, nil
}

// Process has the metrics about the process, by their names.
func (m *Metrics) Process() (map[string]float64, error) {
	all, err := m.process.Gather()
	values := map[string]float64{}
	for _, f := range all {
		for _, one := range f.Metric {
			values[f.GetName()] = one.GetGauge().GetValue() + one.GetCounter().GetValue() // it is one of them
		}
	}
	return values, err
}

// find asks the shards.
func (m *Metrics) find(ctx context.Context) *findings {
	ctx, cancel := context.WithTimeout(ctx, scrapeLimit)
	defer cancel()
	o := m.opts.Load()
	f := &findings{opts: o, whole: true, tubes: ranking{most: o.MaxTubes, shown: o.Tubes}}
	for i := range m.src.Shards.Shards() {
		figures, ok := m.src.Shards.Look(ctx, i)
		ok = ok && m.src.Shards.Census(ctx, i, f.tubes.add)
		f.shards, f.up, f.whole = append(f.shards, figures), append(f.up, ok), f.whole && ok
		f.sums.Add(&figures.Sums)
	}
	if f.whole {
		f.keys = keys(m.src.Stats(&f.sums))
	}
	f.tubes.sort()
	return f
}

// desc describes a metric. Descriptions are made once.
func (m *Metrics) desc(name, help string, labels []string) *prometheus.Desc {
	m.mu.Lock()
	defer m.mu.Unlock()
	id := name + " " + strings.Join(labels, " ")
	d := m.descs[id]
	if d == nil {
		d = prometheus.NewDesc(name, help, labels, nil)
		m.descs[id] = d
	}
	return d
}

// spread tells a histogram.
func (g *gathering) spread(name, help string, s scale, r *tally.Reading, labels ...string) {
	names, values := pairs(labels)
	g.out <- &histogram{desc: g.desc(name, help, names), names: names, values: values, scale: s, read: *r}
}

// pairs takes a list of names and values apart.
func pairs(list []string) (names, values []string) {
	for pair := range slices.Chunk(list, 2) {
		names, values = append(names, pair[0]), append(values, pair[1])
	}
	return names, values
}

// InstanceOf is the label that a beanstalkd_exporter would have for a listener's address:
// an address that is every one of the machine gets the machine's name.
func InstanceOf(address, hostname string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = hostname
	}
	return net.JoinHostPort(host, port)
}
