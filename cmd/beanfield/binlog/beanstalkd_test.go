package binlog

import (
	"fmt"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"beanfield/storage/must"
)

// life is what one client does with beanstalkd at random.
type life struct {
	*beanstalkd
	r      *rand.Rand
	alive  []uint64
	buried []uint64 // in the order of their burials
	last   uint64
}

func (l *life) pick() (id uint64, i int) {
	i = l.r.Intn(len(l.alive))
	return l.alive[i], i
}

// step does one thing to one job.
func (l *life) step() {
	tubes := [...]string{"default", "mail", "a-tube/with;odd.$chars_(all)+", strings.Repeat("n", 200)}
	if len(l.alive) < 30 || l.r.Intn(3) == 0 {
		delay := 0
		if l.r.Intn(4) == 0 {
			delay = 1000 + l.r.Intn(1000)
		}
		body := strings.Repeat(string(rune('a'+l.r.Intn(26))), l.r.Intn(400))
		if l.r.Intn(10) == 0 {
			body += "\r\n\x00 and more" // bodies are any bytes
		}
		l.last = l.put(tubes[l.r.Intn(len(tubes))], l.r.Intn(5000), delay, 60+l.r.Intn(60), body)
		l.alive = append(l.alive, l.last)
		return
	}
	id, i := l.pick()
	switch l.r.Intn(6) {
	case 0:
		l.reserve(id)
		l.expect("BURIED", "bury %d %d", id, l.r.Intn(5000))
		l.unbury(id)
		l.buried = append(l.buried, id)
	case 1:
		l.reserve(id)
		l.unbury(id)
		l.expect("RELEASED", "release %d %d %d", id, l.r.Intn(5000), 1000+l.r.Intn(1000))
	case 2:
		if must.Get(l.Askf("kick-job %d", id)).Word == "KICKED" {
			l.unbury(id)
		}
	default:
		l.expect("DELETED", "delete %d", id)
		l.unbury(id)
		l.alive = slices.Delete(l.alive, i, i+1)
	}
}

func (l *life) unbury(id uint64) {
	l.buried = slices.DeleteFunc(l.buried, func(b uint64) bool { return b == id })
}

// Everything that beanstalkd logs, in many files and with compaction: the import has
// what beanstalkd itself shows after a restart, and keeps the order in which jobs
// were buried, which beanstalkd forgets.
func TestAsBeanstalkdRestarts(t *testing.T) {
	for seed := range int64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			dir := t.TempDir()
			const size = "8192"
			l := &life{beanstalkd: start(t, dir, "-s", size), r: rand.New(rand.NewSource(seed))}
			for range 600 {
				l.step()
			}
			stats := must.Get(l.Stats("stats"))
			if stats.Number("binlog-records-migrated") == 0 || stats.Number("binlog-current-index") < 10 {
				t.Errorf("nothing was compacted, or there are few files: %v", stats)
			}
			l.kill()
			got, maxID, rep := imported(t, dir)
			if len(rep.skips) > 0 {
				t.Errorf("skipped: %q", whys(rep))
			}
			if maxID != l.last {
				t.Errorf("the highest id is %d, want %d, also if that job is deleted: beanstalkd would give it again",
					maxID, l.last)
			}
			if order := buriedOrder(got); !slices.Equal(order, l.buried) {
				t.Errorf("buried in the order %v, want %v", order, l.buried)
			}
			sameAsListed(t, got, restarted(t, dir, l.last, "-s", size))

			// The restart has made another file; importing again gives the same.
			again, _, _ := imported(t, dir)
			if !maps.Equal(again, got) {
				t.Errorf("after a restart\n got %+v\nwant %+v", again, got)
			}
		})
	}
}

// At a restart beanstalkd refuses a job of the maximum size, which it had accepted,
// and with it the rest of the file. The import has all jobs.
func TestLargestJobs(t *testing.T) {
	dir := t.TempDir()
	b := start(t, dir, "-z", "1000")
	want := map[uint64]string{}
	for _, n := range []int{10, 998, 999, 1000, 20} {
		body := strings.Repeat("x", n)
		want[b.put("default", 1, 0, 60, body)] = body
	}
	b.kill()
	got, _, rep := imported(t, dir)
	if len(rep.skips) != 0 || len(got) != len(want) {
		t.Errorf("imported %d of %d, skipped %q", len(got), len(want), whys(rep))
	}
	for id, body := range want {
		if got[id].body != body {
			t.Errorf("job %d has a body of %d bytes, want %d", id, len(got[id].body), len(body))
		}
	}
	// The loss that this is about. If beanstalkd is mended, this test may go.
	if left := restarted(t, dir, 5, "-z", "1000"); len(left) != 2 {
		t.Errorf("beanstalkd kept %d jobs, it used to keep 2", len(left))
	}
}

// If a file is missing the rest is imported, as beanstalkd would read it, and the
// report says what is missing.
func TestMissingFile(t *testing.T) {
	dir := t.TempDir()
	l := &life{beanstalkd: start(t, dir, "-s", "4096"), r: rand.New(rand.NewSource(7))}
	for range 300 {
		l.step()
	}
	l.kill()
	src := &source{dir: dir, fsys: os.DirFS(dir)}
	if err := src.list(); err != nil || len(src.files) < 6 {
		t.Fatalf("%d files, %v", len(src.files), err)
	}
	missing := src.files[2].name
	must.Do(t, os.Remove(filepath.Join(dir, missing)))
	got, _, rep := imported(t, dir)
	if want := missing + " is missing"; !slices.Contains(rep.notes, want) {
		t.Errorf("notes are %q, want one %q", rep.notes, want)
	}
	sameAsListed(t, got, restarted(t, dir, l.last, "-s", "4096"))
}

// An impossible length of a name ends the file, for beanstalkd as for the import.
func TestGarbageLength(t *testing.T) {
	for _, garbage := range []string{"\xff\xff\xff\xff", "\xc9\x00\x00\x00"} {
		dir := t.TempDir()
		b := start(t, dir)
		for i := range 5 {
			b.put("default", i, 0, 60, "body")
		}
		b.kill()
		path := filepath.Join(dir, "binlog.1")
		data := must.Get(os.ReadFile(path))
		third := versionLen + 2*(4+len("default")+80+len("body\r\n"))
		copy(data[third:], garbage)
		must.Do(t, os.Chmod(path, 0o600))
		write1(t, dir, "binlog.1", data)
		got, maxID, rep := imported(t, dir)
		if len(got) != 2 || maxID != 2 || len(rep.skips) != 1 || rep.skips[0].Offset != int64(third) {
			t.Errorf("%d jobs, highest id %d, skipped %q", len(got), maxID, whys(rep))
		}
		sameAsListed(t, got, restarted(t, dir, 5))
	}
}

// An id that beanstalkd gave twice belongs to the newer job.
func TestReusedID(t *testing.T) {
	dir := t.TempDir()
	var last uint64
	for restart := range 3 {
		b := start(t, dir)
		last = b.put("default", restart, 0, 60, fmt.Sprintf("body %d", restart))
		if restart < 2 {
			b.expect("DELETED", "delete %d", last)
		}
		b.kill()
	}
	got, _, _ := imported(t, dir)
	if len(got) != 1 || got[last].body != "body 2" || got[last].Pri != 2 {
		t.Errorf("got %+v, want only job %d", got, last)
	}
	sameAsListed(t, got, restarted(t, dir, 3))
}

func TestRunningBeanstalkd(t *testing.T) {
	dir := t.TempDir()
	b := start(t, dir)
	b.put("default", 1, 0, 60, "body")
	to := filepath.Join(t.TempDir(), "new")
	pid := fmt.Sprint(b.process.Process.Pid)
	status, _, stderr := command("-from", dir, "-to", to)
	if status != 1 || !strings.Contains(stderr, "running beanstalkd, process "+pid) {
		t.Errorf("status %d: %s", status, stderr)
	}
	if _, err := os.Stat(to); err == nil {
		t.Error("the target was made all the same")
	}
	b.kill()
	status, stdout, stderr := command("-from", dir, "-to", to)
	if status != 0 || !strings.Contains(stdout, "imported 1 jobs into "+to) {
		t.Errorf("status %d: %s%s", status, stdout, stderr)
	}
}

// While an import reads, beanstalkd does not start.
func TestBeanstalkdWaitsForImport(t *testing.T) {
	dir := t.TempDir()
	start(t, dir).kill()
	src := must.Get(openSource(dir, os.DirFS(dir)))
	second := commandFor(t, dir)
	must.Do(t, second.Start())
	patience := time.AfterFunc(5*time.Minute, func() { _ = second.Process.Kill() })
	if err := second.Wait(); err == nil || second.ProcessState.ExitCode() != 10 {
		t.Errorf("beanstalkd ended with %v, want status 10", err)
	}
	patience.Stop()
	must.Do(t, src.close())
	if n := len(restarted(t, dir, 1)); n != 0 {
		t.Errorf("%d jobs", n)
	}
}
