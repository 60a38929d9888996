package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"beanfield/cmd/beanfield/listeners"
	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
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
	for i, sent := range strings.Split(manyTimes, ", ") { // no two as often: counters that are exchanged are seen
		line, reply, _ := strings.Cut(sent, " => ")
		for range 11 + i {
			c.expect(line, reply)
		}
	}
	return p, c
}

// manyTimes are commands that change nothing, with their replies.
const manyTimes = "use nowhere => USING nowhere, peek 99 => NOT_FOUND, peek-ready => NOT_FOUND, " +
	"peek-delayed => NOT_FOUND, peek-buried => NOT_FOUND, kick 1 => KICKED 0, kick-job 99 => NOT_FOUND, " +
	"touch 99 => NOT_FOUND, release 99 0 0 => NOT_FOUND, bury 99 0 => NOT_FOUND, delete 99 => NOT_FOUND, " +
	"reserve-job 99 => NOT_FOUND, list-tube-used => USING nowhere, watch mail => WATCHING 2, " +
	"ignore nowhere => WATCHING 2, stats-job 99 => NOT_FOUND, stats-tube none => NOT_FOUND, " +
	"pause-tube none 1 => NOT_FOUND"

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

// The chain ends with the first of its certificates that does.
func TestExpiryOfChain(t *testing.T) {
	a, dir := securetest.NewAuthority(t, "authority"), t.TempDir()
	leaf, between := a.Issue("leaf", time.Now().Add(9*time.Hour)), a.Issue("between", time.Now().Add(3*time.Hour))
	file := fmt.Sprintf("[[listen]]\naddress = ':1'\ncert = '%s'\nkey = '%s'\n[[listen]]\naddress = ':2'\ncert = "+
		"'%[1]s'\nkey = '%[2]s'\n",
		securetest.Write(t, dir, "c", append(leaf.Cert, between.Cert...)), securetest.Write(t, dir, "k", leaf.Key))
	c := configOf(t, "", file)
	all := expiries(c)
	if len(all) != 1 || time.Until(all[0].Ends).Round(time.Hour) != 3*time.Hour {
		t.Errorf("%v", all)
	}
}

const monitoring = "../../tools/monitoring/"

// Each metric that the dashboard and the alert rules name is told by a server with a data
// directory.
func TestMonitoringNamesWhatExists(t *testing.T) {
	p, _ := metered(t, "")
	s, _ := scrape(t, p.dir+"/h")
	told := string(must.Get(os.ReadFile("../../conn/admin/cluster.go")))
	ofCluster := func(name string) bool { // a node of a cluster tells it
		return strings.HasPrefix(name, "beanfield_cluster_") &&
			strings.Contains(told, `"`+strings.TrimSuffix(name, "_bucket")+`"`)
	}
	for _, file := range []string{"grafana.json", "alerts.yaml"} {
		text := must.Get(os.ReadFile(monitoring + file))
		names := regexp.MustCompile(`\b(beanfield|go|process)_[a-z_]+`).FindAllString(string(text), -1)
		if len(names) < 15 {
			t.Errorf("%s names only %d metrics", file, len(names))
		}
		for _, name := range names {
			family := name
			for _, end := range []string{"_bucket", "_sum", "_count"} {
				if f := s[strings.TrimSuffix(name, end)]; f != nil && f.Metric[0].Histogram != nil {
					family = strings.TrimSuffix(name, end)
				}
			}
			if s[family] == nil && !optional[name] && !ofCluster(name) {
				t.Errorf("%s names %s, which nobody tells", file, name)
			}
		}
	}
	var board any
	if text, err := os.ReadFile(monitoring + "grafana.json"); err != nil || json.Unmarshal(text, &board) != nil {
		t.Error("the dashboard is not JSON")
	}
}

// optional are metrics that exist only when there is something to tell.
var optional = map[string]bool{"beanfield_tube_pending_items": true, "beanfield_tls_certificate_expiry_seconds": true}

// No rule fires for a shard, a tube, a certificate or anything else below a server: it must
// lose these labels, or have a metric that has none.
func TestAlertsAreOfServers(t *testing.T) {
	text := must.Get(os.ReadFile(monitoring + "alerts.yaml"))
	rules := regexp.MustCompile(`(?s)- alert: (\w+)\n\s+expr: (.*?)\n        (for|labels):`).FindAllStringSubmatch(
		string(text), -1)
	if len(rules) < 15 {
		t.Errorf("found only %d rules", len(rules))
	}
	for _, r := range rules {
		for part, label := range map[string]string{"beanfield_shard_": "shard", "beanfield_tube_": "tube",
			"beanfield_cluster_shard_": "shard", "beanfield_tls_certificate_": "file",
			"beanfield_refusals_": "reason"} {
			if strings.Contains(r[2], part) && !regexp.MustCompile(`without \((\w+, )*`+label+`\)`).MatchString(r[2]) {
				t.Errorf("%s fires for each %s", r[1], label)
			}
		}
	}
}

func TestAlertRules(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed: apt-get install prometheus")
	}
	for _, task := range [][]string{{"check", "rules", monitoring + "alerts.yaml"}, {"test", "rules", monitoring +
		"alerts_test.yaml"}} {
		if out, err := exec.Command(promtool, task...).CombinedOutput(); err != nil ||
			!bytes.Contains(out, []byte("SUCCESS")) {
			t.Errorf("%q: %v: %s", task, err, out)
		}
	}
}

// Debian's Prometheus scrapes the server, with a token, evaluates the rules, and knows what
// stats says. It asks for protobuf, so this is also the test of native histograms. The
// instance of our own metrics is Prometheus's, and that of the aliases is theirs if it
// honours labels, as tools/monitoring/README.md says.
func TestPrometheusScrapes(t *testing.T) {
	prometheus, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("prometheus is not installed: apt-get install prometheus")
	}
	target, web := freeAddress(t), freeAddress(t)
	p, _ := configured(t, "http.tokens = ['secret']\nmetrics.aliases = ['beanstalkd_exporter']\nmetrics.instance = "+
		"'queues:11300'\n",
		"-l", "unix:DIR/s", "-http", target)
	c := p.client()
	c.expect("use mail", "USING mail")
	for i := range 3 {
		c.send("put 5 0 60 1")
		c.expect("x", fmt.Sprintf("INSERTED %d", i+1))
	}
	rules := must.Get(filepath.Abs(monitoring + "alerts.yaml"))
	config := fmt.Sprintf("global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: "+
		"[%q]\nscrape_configs:\n- job_name: beanfield\n  honor_labels: true\n"+
		"  authorization: {credentials: secret}\n  static_configs: [{targets: [%q]}]\n", rules, target)
	must.Do(t, os.WriteFile(filepath.Join(p.dir, "p.yml"), []byte(config), 0o600))
	server := exec.Command(prometheus, "--config.file="+p.dir+"/p.yml", "--storage.tsdb.path="+p.dir+"/tsdb",
		"--web.listen-address="+web, "--enable-feature=native-histograms")
	must.Do(t, server.Start())
	defer func() { server.Process.Kill(); server.Wait() }()
	for query, want := range map[string]string{
		`beanfield_tube_current_jobs_ready{tube="mail"}`:                         `"3"]`,
		`up{job="beanfield"}`:                                                    `"1"]`,
		`histogram_count(beanfield_command_seconds{command="put"})`:              `"1"]`,
		`beanfield_ready{instance="` + target + `",job="beanfield"}`:             `"1"]`,
		`tube_current_jobs_ready{instance="queues:11300",tube="mail"}`:           `"3"]`,
		`count({__name__=~"beanfield_.*",exported_instance=~".+"}) or vector(0)`: `"0"]`,
	} {
		awaitAnswer(t, "http://"+web+"/api/v1/query?query="+url.QueryEscape(query), want)
	}
}

// awaitAnswer asks again and again, until the answer has a text.
func awaitAnswer(t *testing.T, address, want string) {
	t.Helper()
	must.Until(t, address+" has "+want, func() bool {
		a, err := http.Get(address)
		if err != nil {
			return false // it has not started yet
		}
		defer a.Body.Close()
		return strings.Contains(string(must.Get(io.ReadAll(a.Body))), want)
	})
}
