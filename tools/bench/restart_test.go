package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fakeServer is a fake queue as a process that keeps its jobs in a directory. It can
// go wrong in the ways that a restart must notice.
func fakeServer(args []string) int {
	f := flag.NewFlagSet("queue", flag.ContinueOnError)
	port, dir := f.Int("p", 0, ""), f.String("d", "", "")
	lose, refuse := f.Bool("lose", false, "a job is gone after the restart"), f.Bool("refuse", false, "does not start on data")
	code, hangup := f.Int("code", 0, "ends with it"), f.Bool("hangup", false, "ends after its restart, once somebody connects")
	config, need := f.String("config", "", "a file that must not be empty"), f.Bool("need", false, "the file must be named")
	f.Int("shards", 0, "of no interest")
	f.Int("z", 0, "of no interest")
	if err := f.Parse(args); err != nil {
		return 5
	}
	if text, err := os.ReadFile(*config); (*need || *config != "") && (err != nil || len(text) == 0) {
		return 5
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", *port))
	if err != nil {
		return 111
	}
	q, bodies := newFakeQueue(), []string(nil)
	path := filepath.Join(*dir, "jobs")
	if text, err := os.ReadFile(path); err == nil {
		switch {
		case *refuse:
			fmt.Println("the jobs cannot be read")
			return 10
		case *hangup:
			l.Accept()
			fmt.Println("out of luck")
			return 1
		}
		_ = json.Unmarshal(text, &bodies)
	}
	if *lose && len(bodies) > 0 {
		bodies = bodies[1:]
	}
	for _, body := range bodies {
		(&fakeClient{q: q, tube: backlogTube}).put("1 0 60 0", body)
	}
	defer q.listen(l)()
	<-ended
	q.mu.Lock()
	defer q.mu.Unlock()
	bodies = bodies[:0]
	for _, j := range q.jobs {
		bodies = append(bodies, j.body)
	}
	text, _ := json.Marshal(bodies)
	if os.WriteFile(path, text, 0o600) != nil {
		return 1
	}
	return *code
}

func restartOf(t *testing.T, flags string, jobs int) (*result, error) {
	t.Helper()
	p := &pinning{}
	how := launch{command: "{self} queue -p {port} -d {dir} " + flags, data: t.TempDir()}
	ld := brief(func(ld *load) { ld.Kind, ld.Backlog = kindRestart, jobs })
	return p.measureNew(context.Background(), false, how, false, ld, settings{threads: 1, say: quiet})
}

func TestRestart(t *testing.T) {
	res, err := restartOf(t, "", 500)
	if err != nil {
		t.Fatal(err)
	}
	u := res.Restart
	for name, v := range map[string]float64{
		"start": u.StartSec, "load": u.LoadSec, "stop": u.StopSec, "recovery": u.RecoverySec,
		"RSS": float64(u.LoadedRSS) / 1e9, "RSS after": float64(u.RecoveredRSS) / 1e9,
	} {
		if v <= 0 || v > 60 {
			t.Errorf("%s is %v", name, v)
		}
	}
	if u.Jobs != 500 || u.LoadedPeak < u.LoadedRSS || u.RecoveredPeak < u.RecoveredRSS || u.peak() <= 0 {
		t.Errorf("%+v", u)
	}
	text, err := json.Marshal(res)
	if err != nil || !strings.Contains(string(text), `"recovery_s":`) {
		t.Errorf("%s %v", text, err)
	}
}

// Without jobs there is only a start.
func TestStart(t *testing.T) {
	res, err := restartOf(t, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	if u := res.Restart; u.StartSec <= 0 || u.RecoverySec != 0 {
		t.Errorf("%+v", u)
	}
	if v := metricStart.of(res); v != res.Restart.StartSec*1e3 {
		t.Errorf("%v ms", v)
	}
	for _, m := range []metric{metricRecovery, metricRecoveryPeak, metricLoadedMB, metricRecoveredMB} {
		if v := m.of(res); !math.IsNaN(v) {
			t.Errorf("%s is %v, though nothing was recovered", m, v)
		}
	}
}

func TestRestartsThatGoWrong(t *testing.T) {
	for flags, message := range map[string]string{
		"-lose":          "has 499 jobs ready, and should have 500",
		"-refuse":        "the jobs cannot be read",
		"-hangup":        "out of luck",
		"-code 3":        "ended badly",
		"-no-such-flag":  "did not start",
		"-config {dir}":  "did not start",
		"-config /a/b/c": "did not start",
	} {
		t.Run(flags, func(t *testing.T) {
			t.Parallel()
			if _, err := restartOf(t, flags, 500); err == nil || !strings.Contains(err.Error(), message) {
				t.Errorf("got %v, want an error with %q", err, message)
			}
		})
	}
}

func TestServerThatDoesNotEnd(t *testing.T) {
	s, err := newServer(launch{command: "sh", data: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	s.args = []string{"sh", "-c", "trap '' TERM; echo ready; exec sleep 600"}
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); s.output.String() != "ready"; {
		if time.Now().After(deadline) {
			t.Fatal("the shell does not run")
		}
		time.Sleep(time.Millisecond)
	}
	if err := s.terminate(time.Millisecond); err == nil || !strings.Contains(err.Error(), "did not end") {
		t.Errorf("got %v", err)
	}
}

func TestSteadyMemoryIsTheLesser(t *testing.T) {
	for _, u := range []restart{
		{LoadedRSS: 100, RecoveredRSS: 120, RecoveredPeak: 150},
		{LoadedRSS: 120, RecoveredRSS: 100, RecoveredPeak: 150},
	} {
		if u.peak() != 1.5 {
			t.Errorf("%+v: %v", u, u.peak())
		}
	}
}

// Rows of restarts, scaled down, from their start to their tables.
func TestCompareRestarts(t *testing.T) {
	chosen, err := chooseRows("recovery,start")
	if err != nil {
		t.Fatal(err)
	}
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
	if err := c.compare(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(c.out.Rows[0].Peers[0].Rounds) != 1 || len(c.out.Rows[1].Peers[0].Rounds) != 2 {
		t.Errorf("%+v", c.out.Rows)
	}
	text := c.out.markdown()
	for _, want := range []string{
		"| 500 jobs of 100 bytes, restarted | beanfield |",
		"| seconds until it serves all jobs again | at most 15.0 |",
		"| ms until the first reply | at most 150 |",
		restartHead,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("missing: %s\nin\n%s", want, text)
		}
	}
	if strings.Contains(text, "ops/s |") || strings.Contains(text, "not measured") {
		t.Errorf("an empty table, or a goal without its number:\n%s", text)
	}
}
