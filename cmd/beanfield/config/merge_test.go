package config

import (
	"os"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// others are values that differ from the defaults, one for each key.
var others = map[string]string{
	"shards": "3", "loops": "3", "user": "'nobody'", "limits.max_job_size": "10", "limits.max_connections": "9",
	"limits.max_jobs": "9", "limits.max_bytes": "9", "limits.max_memory": "9",
	"limits.handshake_timeout": "'2s'", "limits.handshakes": "50", "memory.garbage_percent": "50",
	"memory.garbage_room": "'64MiB'",
	"storage.backend":     "'pebble'", "storage.path": "'/'", "storage.sync": "'never'",
	"storage.sync_interval": "'9ms'",
	"storage.memory_budget": "'1GiB'", "storage.min_free": "'1GiB'", "storage.cache": "'64MiB'",
	"storage.log_size": "'1MiB'", "storage.backup_path": "'/b'",
	"stats.quote_strings": "'always'", "log.level": "'debug'", "log.format": "'json'", "log.slow": "'9ms'",
	"audit.file":   "'/a'",
	"queue.listen": "['unix:/q']", "queue.mode": "'0600'", "queue.group": "'root'", "queue.default_service": "'mail'",
	"queue.tokens": "['t']", "queue.origins": "['https://a']", "queue.hosts": "['a.b']", "queue.max_batch": "2048",
	"queue.dead_after": "'9s'", "queue.cert": "'DIR/c'", "queue.key": "'DIR/k'", "queue.client_ca": "'DIR/c'",
	"queue.client_auth": "'optional'",
	"queue.min_tls":     "'1.3'", "queue.max_length": "9", "queue.max_payload": "9", "queue.max_tags": "9",
	"queue.max_delivery": "9",
	"queue.max_idle":     "'9s'", "queue.leaving": "'9s'", "queue.dead_letter": "'drop'", "queue.auto_evict": "true",
	"queue.max_unsent": "5000",
	"http.listen":      "['unix:/h']", "http.mode": "'0600'", "http.group": "'root'", "http.tokens": "['t']",
	"http.hosts": "['a.b']", "http.origins": "['https://a']", "http.pprof": "true",
	"http.read_only": "true", "http.cert": "'DIR/c'", "http.key": "'DIR/k'", "http.client_ca": "'DIR/c'",
	"http.client_auth": "'optional'",
	"http.min_tls":     "'1.3'", "metrics.max_tubes": "9", "metrics.tubes": "['a*']",
	"metrics.aliases":  "['beanstalkd_exporter']",
	"metrics.instance": "'a:1'",
	"cluster.name":     "'c'", "cluster.node": "'a'", "cluster.secret": "'hush'", "cluster.cert": "'/c'",
	"cluster.key": "'/k'", "cluster.ca": "'/a'",
	"cluster.replicas": "1", "cluster.engine": "['nats://h']", "cluster.engine_unsafe": "true", "cluster.warm": "true",
	"cluster.prefer": "true", "cluster.forward": "false", "cluster.wait": "'3s'", "cluster.nodes": "{ a = 'h:1' }",
}

// Every key is either taken over by a reload or said to need a restart, as its row in the
// table says, and the rest stays as it was.
func TestEveryKeyAtReload(t *testing.T) {
	dir := t.TempDir()
	now := defaults()
	for i, s := range now.rows() {
		value, ok := others[s.key]
		if !ok {
			t.Errorf("the test has no value for %s", s.key)
			continue
		}
		next := defaults()
		if ms := readConfigFile(writeConfig(t, s.key+" = "+strings.ReplaceAll(value, "DIR", dir)), next); len(ms) > 0 {
			t.Error(ms)
			continue
		}
		merged, changes := now.merge(next)
		if len(changes) != 1 || changes[0].key != s.key {
			t.Errorf("%s: the changes are %v", s.key, changes)
			continue
		}
		live := s.live
		if strings.HasSuffix(s.key, ".cert") || strings.HasSuffix(s.key, ".key") ||
			strings.HasSuffix(s.key, ".client_ca") {
			live = false // there is no TLS now
		}
		if changes[0].Reloads != live || strings.Contains(changes[0].String(), "needs a restart") == live {
			t.Errorf("%s: %v", s.key, changes[0])
		}
		want := now
		if live {
			want = next
		}
		got, all := merged.rows(), want.rows()
		for k := range got {
			if !got[k].equal(&all[k]) {
				t.Errorf("%s changed: %s is %s", s.key, got[k].key, got[k].show())
			}
		}
		if merged.From[s.key] != want.From[s.key] {
			t.Errorf("%s is from %v", s.key, merged.From[s.key])
		}
		if back, changes := merged.merge(now); live != (len(changes) == 1) || !back.rows()[i].equal(&s) {
			t.Errorf("%s back again: %v", s.key, changes)
		}
	}
}

// A file without rules takes away those that hold only if it says so: an empty one may be half
// written.
func TestReloadWithoutRules(t *testing.T) {
	path := writeConfig(t, "[[access]]\nuid = 1\nmay = 'put'\n")
	running := must.Get(Load(Flags{File: path}))
	for _, c := range []struct {
		text    string
		refused bool
	}{{"", true}, {"shards = 1\n", true}, {"access = []\n", false}} {
		must.Do(t, os.WriteFile(path, []byte(c.text), 0o600))
		_, _, err := running.Reload(Flags{File: path})
		if refused := err != nil && strings.Contains(err.Error(), "rules hold now"); refused != c.refused {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}
