package compare

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"beanfield/storage/must"
	"beanfield/tools/bench/result"
)

// Where nothing was recovered, there are no numbers of a recovery.
func TestMetricsOfAStart(t *testing.T) {
	res := &result.Result{Restart: &result.Restart{StartSec: 0.25}}
	if v := metricStart.of(res); v != 250 {
		t.Errorf("%v ms", v)
	}
	for _, m := range []metric{metricRecovery, metricRecoveryPeak, metricLoadedMB, metricRecoveredMB} {
		if v := m.of(res); !math.IsNaN(v) {
			t.Errorf("%s is %v, though nothing was recovered", m, v)
		}
	}
}

// Rows of restarts, scaled down, from their start to their tables.
func TestCompareRestarts(t *testing.T) {
	chosen := must.Get(chooseRows("recovery,start"))
	for i := range chosen {
		chosen[i].flags, chosen[i].config = "-config {config}", "x"
	}
	fake := func(name, flag string) peer {
		return peer{
			Name: name, Class: classInterval, Command: "{self} queue -p {port} -d {dir} " + flag,
			baseline: name == nameBeanstalkd,
		}
	}
	c := comparer{
		peers: []peer{fake(nameBeanfield, "-need"), fake(nameBeanstalkd, "")}, rows: chosen,
		rounds: 2, scale: 0.0001, duration: time.Second, seed: 1, data: t.TempDir(),
	}
	must.Do(t, c.compare(context.Background()))
	if len(c.out.Rows[0].Peers[0].Rounds) != 1 || len(c.out.Rows[1].Peers[0].Rounds) != 2 {
		t.Errorf("%+v", c.out.Rows)
	}
	text := c.out.markdown()
	tells(t, text,
		"| 500 jobs of 100 bytes, restarted | beanfield |",
		"| seconds until it serves all jobs again | at most 3.00 |",
		"| ms until the first reply | at most 150 |",
		restartHead,
	)
	if strings.Contains(text, "ops/s |") || strings.Contains(text, "not measured") {
		t.Errorf("an empty table, or a goal without its number:\n%s", text)
	}
}
