package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"beanfield/storage/must"
)

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

// awaitAnswer asks again and again, ten times a second, until the answer has a text.
func awaitAnswer(t *testing.T, address, want string) {
	t.Helper()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	body := []byte("nobody answers")
	for end := time.Now().Add(patience); time.Now().Before(end); <-again.C {
		a, err := http.Get(address)
		if err != nil {
			continue // it has not started yet
		}
		body, _ = io.ReadAll(a.Body)
		a.Body.Close()
		if bytes.Contains(body, []byte(want)) {
			return
		}
	}
	t.Errorf("%s: %s, want %s", address, body, want)
}
