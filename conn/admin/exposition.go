package admin

import (
	"cmp"
	"compress/gzip"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"beanfield/storage/pace"
	"beanfield/storage/tally"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// ServeHTTP answers a scrape.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case m.scrapes <- struct{}{}:
		defer func() { <-m.scrapes }()
	default:
		text(w, http.StatusServiceUnavailable, "too many scrapes at once")
		return
	}
	began := time.Now()
	all, err := m.gather(r)
	if err != nil {
		text(w, http.StatusInternalServerError, "the metrics cannot be gathered: "+err.Error())
		return
	}
	format := expfmt.NegotiateIncludingOpenMetrics(r.Header)
	h := w.Header()
	h.Set("Content-Type", string(format))
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Accept, Accept-Encoding")
	if r.Method == http.MethodHead {
		return
	}
	var out io.Writer = w
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
		defer z.Close()
		out = z
	}
	write(out, format, all) // if it fails the client has gone
	m.mu.Lock()
	m.made++
	m.past.Add(tally.Time(int64(time.Since(began))), 1)
	m.mu.Unlock()
}

// gather finds all metrics, in the order of their names.
func (m *Metrics) gather(r *http.Request) ([]*dto.MetricFamily, error) {
	found := m.find(r.Context())
	own := prometheus.NewRegistry()
	if err := own.Register(&gathering{Metrics: m, found: found}); err != nil {
		return nil, err
	}
	all, err := prometheus.Gatherers{m.process, own}.Gather()
	if err != nil {
		return nil, err
	}
	all = append(all, found.tubes.tubeFamilies()...)
	if len(found.opts.Aliases) > 0 {
		all = append(all, m.exporterFamilies(found)...)
	}
	all = slices.DeleteFunc(all, func(f *dto.MetricFamily) bool { return len(f.Metric) == 0 })
	slices.SortFunc(all, func(a, b *dto.MetricFamily) int { return cmp.Compare(a.GetName(), b.GetName()) })
	return all, nil
}

// write sends metrics in the format that the client has asked for.
func write(out io.Writer, format expfmt.Format, all []*dto.MetricFamily) {
	e := expfmt.NewEncoder(&considerate{Writer: out}, format)
	for _, f := range all {
		if e.Encode(f) != nil {
			return
		}
	}
	if c, ok := e.(expfmt.Closer); ok {
		c.Close()
	}
}

// considerate lets other goroutines run after every few kilobytes. Formatting a thousand
// tubes takes tens of milliseconds, and on a single processor the event loops would wait
// until the scheduler interrupts that.
type considerate struct {
	io.Writer
	written int
}

const considerateAfter = 16 << 10

func (c *considerate) Write(b []byte) (int, error) {
	if c.written += len(b); c.written >= considerateAfter {
		c.written = 0
		pace.StepBack()
	}
	return c.Writer.Write(b)
}
