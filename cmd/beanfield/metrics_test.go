package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"beanfield/cmd/beanfield/listeners"
	"beanfield/conn/admin/console"
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

// Shards, logs, loops, connections, refusals and times are told too.
func TestMetricsBeyondStats(t *testing.T) {
	p, _ := metered(t, "")
	s, _ := scrape(t, p.dir+"/h")
	for _, c := range []struct {
		name   string
		want   float64
		labels []string
	}{
		{"beanfield_ready", 1, nil},
		{"beanfield_shard_up", 1, []string{"shard", "1"}},
		{"beanfield_connections", 1, []string{"face", "beanstalk"}},
		{"beanfield_connections", 1, []string{"face", "http"}},
		{"beanfield_connections", 0, []string{"face", "queue service"}},
		{"beanfield_refusals_total", 1, []string{"face", "beanstalk", "reason", "NOT_FOUND"}},
		{"beanfield_refusals_total", 1, []string{"face", "beanstalk", "reason", "UNKNOWN_COMMAND"}},
		{"beanfield_refusals_total", 0, []string{"face", "beanstalk", "reason", "DRAINING"}},
		{"beanfield_loop_connections", 1, []string{"loop", "0"}},
		{"beanfield_queue_consumers", 0, nil},
		{"beanfield_other_tubes", 0, nil},
		{"beanfield_shard_log_failed", 0, []string{"shard", "0"}},
	} {
		if got := s.value(c.name, c.labels...); got != c.want {
			t.Errorf("%s %v is %v, want %v", c.name, c.labels, got, c.want)
		}
	}
	both := func(name string) float64 { return s.value(name, "shard", "0") + s.value(name, "shard", "1") }
	if n := both("beanfield_shard_jobs"); n != 8 {
		t.Errorf("the shards have %v jobs, want 8", n)
	}
	for _, name := range []string{"beanfield_shard_turns_total", "beanfield_shard_log_records_total",
		"beanfield_shard_log_live_bytes", "beanfield_shard_busy_seconds_total"} {
		if both(name) <= 0 {
			t.Errorf("%s is %v", name, both(name))
		}
	}
	for _, name := range []string{"beanfield_command_seconds", "beanfield_shard_turn_operations",
		"beanfield_shard_log_commit_seconds", "beanfield_shard_log_group_turns"} {
		n := uint64(0)
		for _, m := range s[name].GetMetric() {
			n += m.GetHistogram().GetSampleCount()
		}
		if n == 0 {
			t.Errorf("nothing is counted in %s", name)
		}
	}
}

// The console shows the process as the metrics do, the listeners, the room on the disk, and the last
// backup that is complete.
func TestMachineInTheConsole(t *testing.T) {
	p, c := metered(t, "")
	ask := func() (m console.Machine) {
		t.Helper()
		status, text := page(t, p.dir+"/h", "/api/v1/server", "")
		if err := json.Unmarshal([]byte(text), &m); status != http.StatusOK || err != nil {
			t.Fatal(status, text, err)
		}
		return m
	}
	m := ask()
	for m.Processor == 0 { // the kernel counts in hundredths of a second
		m = ask()
	}
	s, _ := scrape(t, p.dir+"/h")
	if m.Memory < 1<<20 || m.Processors < 1 || m.Descriptors < 10 || m.Most != s.value("process_max_fds") ||
		m.Connections["beanstalk"] != 1 {
		t.Errorf("the process is shown as %+v", m)
	}
	want := []console.Listener{{FrontEnd: listeners.Beanstalk, Address: p.dir + "/s"}, {FrontEnd: listeners.Queue,
		Address: p.dir + "/q"}, {FrontEnd: listeners.Admin, Address: p.dir + "/h"}}
	if !slices.Equal(m.Listeners, want) || len(m.Certificates) > 0 {
		t.Errorf("it is reached at %+v, with %+v", m.Listeners, m.Certificates)
	}
	if m.Disk.Free == 0 || m.Disk.Backups != m.Disk.Path+"-backups" || m.Disk.Backup != 0 {
		t.Errorf("the disk is shown as %+v", m.Disk)
	}
	for _, name := range []string{"beanfield-20200101T000000Z", "partial-1", "zzz"} {
		must.Do(t, os.MkdirAll(filepath.Join(m.Disk.Backups, name), 0o700))
	}
	// All pages share an answer for a second.
	until(t, "the complete backup is shown", func() bool {
		return time.UnixMilli(ask().Disk.Backup).UTC().Year() == 2020
	})
	p.signal(syscall.SIGUSR2)
	p.untilSaid(c, "backup complete")
	until(t, "the new backup is shown", func() bool { return time.Since(time.UnixMilli(ask().Disk.Backup)) < patience })
}

// exporterServer and exporterTube are the names of beanstalkd_exporter.
const (
	exporterServer = `binlog_current_index binlog_max_size binlog_oldest_index binlog_records_migrated binlog_records_written
		cmd_bury cmd_delete cmd_ignore cmd_kick cmd_list_tube_used cmd_list_tubes cmd_list_tubes_watched cmd_pause_tube cmd_peek
		cmd_peek_buried cmd_peek_delayed cmd_peek_ready cmd_put cmd_release cmd_reserve cmd_reserve_with_timeout cmd_stats
		cmd_stats_job cmd_stats_tube cmd_touch cmd_use cmd_watch current_connections current_jobs_buried current_jobs_delayed
		current_jobs_ready current_jobs_reserved current_jobs_urgent current_producers current_tubes current_waiting
		current_workers draining job_timeouts max_job_size os platform rusage_stime rusage_utime total_connections total_jobs
		uptime version`
	exporterTube = `tube_cmd_delete tube_cmd_pause_tube tube_current_jobs_buried tube_current_jobs_delayed tube_current_jobs_ready
		tube_current_jobs_reserved tube_current_jobs_urgent tube_current_using tube_current_waiting tube_current_watching
		tube_pause tube_pause_time_left tube_total_jobs`
	exporterItself = `beanstalkd_exporter_scrape_connection_errors_total beanstalkd_exporter_scrape_seconds
		beanstalkd_exporter_loaded_mappings_count beanstalkd_exporter_requests_total beanstalkd_exporter_config_reloads_total`
)

// The alias has all names, types and labels of that program, and nothing without its own
// names; without the alias there is none of them.
func TestExporterAlias(t *testing.T) {
	p, c := metered(t, "metrics.aliases = ['beanstalkd_exporter']\nmetrics.instance = 'queues:11300'\n")
	s, _ := scrape(t, p.dir+"/h")
	for _, name := range strings.Fields(exporterServer) {
		if got := s.value(name, "instance", "queues:11300"); math.IsNaN(got) ||
			s[name].GetType() != dto.MetricType_GAUGE {
			t.Errorf("%s is %v of type %v", name, got, s[name].GetType())
		}
	}
	for _, name := range strings.Fields(exporterTube) {
		if got := s.value(name, "instance", "queues:11300", "tube", "mail"); math.IsNaN(got) ||
			s[name].GetType() != dto.MetricType_GAUGE {
			t.Errorf("%s is %v of type %v", name, got, s[name].GetType())
		}
	}
	for _, name := range strings.Fields(exporterItself) {
		if s[name] == nil {
			t.Errorf("%s is missing", name)
		}
	}
	known := strings.Fields(exporterServer + " " + exporterTube + " " + exporterItself)
	for name := range s {
		if !slices.Contains(known, name) && !strings.HasPrefix(name, "beanfield_") && !strings.HasPrefix(name, "go_") &&
			!strings.HasPrefix(name, "process_") {
			t.Errorf("%s is not a name of the exporter", name)
		}
	}
	if want := c.stats("stats")["total-jobs"]; strconv.FormatFloat(s.value("total_jobs", "instance", "queues:11300"), 'f', -1,
		64) != want {
		t.Errorf("total_jobs is not %s", want)
	}
	plain, _ := metered(t, "")
	if s, _ = scrape(t, plain.dir+"/h"); s["total_jobs"] != nil || s["tube_pause"] != nil {
		t.Error("there are aliases although nobody asked for them")
	}
}

// The settings of [metrics] decide which tubes have metrics of their own.
func TestMetricsOfChosenTubes(t *testing.T) {
	p, _ := metered(t, "metrics.tubes = ['mail', 'o*']\nmetrics.max_tubes = 1\n")
	s, _ := scrape(t, p.dir+"/h")
	if n := len(s["beanfield_tube_total_jobs_total"].GetMetric()); n != 1 || s.value("beanfield_tube_total_jobs_total",
		"tube", "orders") != 3 {
		t.Errorf("%d tubes are told: %v", n, s["beanfield_tube_total_jobs_total"])
	}
	for name, want := range map[string]float64{"beanfield_other_tubes": 3, "beanfield_other_tubes_total_jobs": 6,
		"beanfield_other_tubes_current_jobs_ready": 4} {
		if got := s.value(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// promtool, which comes with Prometheus, finds nothing to complain of.
func TestPromtoolIsContent(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed: apt-get install prometheus")
	}
	p, _ := metered(t, "")
	_, text := scrape(t, p.dir+"/h")
	check := exec.Command(promtool, "check", "metrics")
	check.Stdin = strings.NewReader(text)
	if out, err := check.CombinedOutput(); err != nil || len(bytes.TrimSpace(out)) > 0 {
		t.Errorf("%v: %s", err, out)
	}
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
