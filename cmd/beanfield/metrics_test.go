package main

import (
	"context"
	"math"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"beanfield/cmd/beanfield/listeners"
	"beanfield/storage/must"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// scraped are the metrics of one scrape.
type scraped map[string]*dto.MetricFamily

// scrape asks a process for its metrics, in the text form.
func scrape(t *testing.T, socket string) (scraped, string) {
	t.Helper()
	status, text := page(t, socket, "/metrics", "")
	if status != http.StatusOK {
		t.Fatalf("/metrics answers %d %s", status, text)
	}
	p := expfmt.NewTextParser(model.UTF8Validation)
	families := must.Get(p.TextToMetricFamilies(strings.NewReader(text)))
	return families, text
}

// value is that of the metric with these labels; NaN if there is none.
func (s scraped) value(name string, labels ...string) float64 {
	f := s[name]
	if f == nil {
		return math.NaN()
	}
	for _, m := range f.Metric {
		var have []string
		for _, l := range m.Label {
			have = append(have, l.GetName(), l.GetValue())
		}
		if slices.Equal(have, labels) {
			return m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return math.NaN()
}

// named is the metric whose name is that of a key, perhaps with its unit and ending.
func (s scraped) named(prefix, key string) string {
	base := prefix + strings.ReplaceAll(key, "-", "_")
	for _, end := range []string{"", "_total", "_seconds", "_bytes", "_seconds_total"} {
		if s[base+end] != nil {
			return base + end
		}
	}
	return ""
}

// metered starts a process with metrics of everything, gives it some jobs, and returns it
// with a client.
func metered(t *testing.T, more string) (*process, *client) {
	p, _ := configured(t, "shards = 2\nhttp.listen = ['unix:DIR/h']\nqueue.listen = ['unix:DIR/q']\n"+
		"storage.backend = 'pebble'\nstorage.path = '"+dataDir(t)+"'\n"+more, "-l", "unix:DIR/s")
	c := p.client()
	for _, tube := range []string{"mail", "video", "orders"} {
		c.expect("use "+tube, "USING "+tube)
		for range 3 {
			c.send("put 5 0 60 1")
			if got := c.ask("x"); !strings.HasPrefix(got, "INSERTED ") {
				t.Fatal(got)
			}
		}
	}
	c.expect("watch mail", "WATCHING 2")
	c.expect("reserve", "RESERVED 1 1\r\nx")
	c.expect("bury 1 7", "BURIED")
	c.expect("delete 2", "DELETED")
	c.expect("delete 2", "NOT_FOUND")
	c.expect("nonsense", "UNKNOWN_COMMAND")
	c.expect("pause-tube video 100", "PAUSED")
	return p, c
}

// Every key of stats and stats-tube has a metric, with the same value on a quiet server.
func TestMetricsHaveEveryKeyOfStats(t *testing.T) {
	p, c := metered(t, "")
	stats := c.stats("stats")
	s, _ := scrape(t, p.dir+"/h")
	changing := map[string]bool{"uptime": true, "rusage-utime": true, "rusage-stime": true, "cmd-stats": true}
	for key, value := range stats {
		if f := s["beanfield_info"]; f != nil && hasLabel(f.Metric[0], key, strings.Trim(value, `"`)) {
			continue
		}
		name := s.named("beanfield_", key)
		if name == "" {
			t.Errorf("%s has no metric", key)
			continue
		}
		want, _ := strconv.ParseFloat(value, 64)
		if got := s.value(name); got != want && !changing[key] {
			t.Errorf("%s is %v, %s is %s", name, got, key, value)
		}
	}
	for _, tube := range []string{"default", "mail", "video", "orders"} {
		for key, value := range c.stats("stats-tube " + tube) {
			name := s.named("beanfield_tube_", key)
			if name == "" && key != "name" {
				t.Errorf("%s has no metric", key)
			}
			want, _ := strconv.ParseFloat(value, 64)
			if got := s.value(name, "tube", tube); key != "name" && got != want && !(key == "pause-time-left" &&
				got >= want) {
				t.Errorf("%s of %s is %v, %s is %s", name, tube, got, key, value)
			}
		}
	}
}

func hasLabel(m *dto.Metric, name, value string) bool {
	return slices.ContainsFunc(m.Label, func(l *dto.LabelPair) bool {
		return l.GetName() == name && l.GetValue() == value
	})
}

func TestInstance(t *testing.T) {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	if got := instance([]net.Listener{listeners.Special{Listener: l, Front: listeners.Admin},
		l}); got != l.Addr().String() {
		t.Errorf("the instance is %s", got)
	}
	host := must.Get(os.Hostname())
	if all, err := new(net.ListenConfig).Listen(context.Background(), "tcp4", "0.0.0.0:0"); err == nil {
		defer all.Close()
		if got := instance([]net.Listener{all}); !strings.HasPrefix(got, host+":") {
			t.Errorf("the instance is %s", got)
		}
	}
	if got := instance(nil); got != host {
		t.Errorf("without an address the instance is %s", got)
	}
}
