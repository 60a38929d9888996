package binlog

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/conn/beanstalk/client/clienttest"
	"beanfield/storage"
	"beanfield/storage/must"
)

// beanstalkd is a process of Debian's beanstalkd with one connection to it.
type beanstalkd struct {
	t       *testing.T
	process *exec.Cmd
	*client.Client
}

// start runs beanstalkd on a directory of binlogs.
func start(t *testing.T, dir string, flags ...string) *beanstalkd {
	t.Helper()
	b := &beanstalkd{t: t, process: commandFor(t, dir, flags...)}
	must.Do(t, b.process.Start())
	t.Cleanup(b.kill)
	must.Until(t, "beanstalkd listens", func() (ok bool) {
		c, err := client.Dial(client.Options{Server: b.process.Args[2], Timeout: must.Patience})
		b.Client = c
		return err == nil
	})
	b.expect("USING", "list-tube-used") // it listens before it has a binlog
	return b
}

// commandFor is a beanstalkd that is not started yet.
func commandFor(t *testing.T, dir string, flags ...string) *exec.Cmd {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	return exec.Command(clienttest.Beanstalkd(t), append([]string{"-l", "unix:" + socket, "-b", dir}, flags...)...)
}

// kill ends beanstalkd at once, and waits for its end. Nothing that it acknowledged is
// lost: the kernel has its writes.
func (b *beanstalkd) kill() {
	if b.process == nil {
		return
	}
	_ = b.process.Process.Kill()
	_ = b.process.Wait()
	b.process = nil
	if b.Client != nil {
		_ = b.HangUp()
	}
}

// expect fails unless the reply begins with a word. It returns the first number in it.
func (b *beanstalkd) expect(want, format string, args ...any) uint64 {
	b.t.Helper()
	return must.Get(b.Get(want, format, args...)).Number
}

func (b *beanstalkd) put(tube string, pri, delay, ttr int, body string) uint64 {
	b.t.Helper()
	b.expect("USING", "use %s", tube)
	r := must.Get(b.Put(fmt.Sprintf("put %d %d %d %d", pri, delay, ttr, len(body)), []byte(body)))
	must.Do(b.t, r.Want("INSERTED"))
	return r.Number
}

// reserve reserves a given job.
func (b *beanstalkd) reserve(id uint64) {
	b.t.Helper()
	b.expect("RESERVED", "reserve-job %d", id)
}

// listed is a job as beanstalkd shows it. When a delayed job becomes ready is known
// only within bounds.
type listed struct {
	storage.Job
	body          string
	after, before int64
}

// list asks for every job up to an id.
func (b *beanstalkd) list(last uint64) map[uint64]listed {
	b.t.Helper()
	states := map[string]storage.JobState{"ready": storage.Ready, "delayed": storage.Delayed, "buried": storage.Buried}
	jobs := make(map[uint64]listed)
	for id := uint64(1); id <= last; id++ {
		asked := time.Now().UnixNano()
		v, err := b.Stats(fmt.Sprint("stats-job ", id))
		if err != nil {
			must.Do(b.t, b.Err()) // there is no such job
			continue
		}
		answered := time.Now().UnixNano()
		num := func(key string) uint32 { return uint32(v.Number(key)) }
		state, known := states[v.Get("state")]
		if !known {
			b.t.Fatalf("job %d: %v", id, v)
		}
		j := listed{Job: storage.Job{
			ID: id, Tube: v.Get("tube"), State: state, Pri: num("pri"), Delay: num("delay"), TTR: num("ttr"),
			Counters: storage.Counters{
				Reserves: num("reserves"), Timeouts: num("timeouts"), Releases: num("releases"), Buries: num("buries"),
				Kicks: num("kicks"),
			},
		}, body: string(must.Get(b.Get("FOUND", "peek %d", id)).Body)}
		if state == storage.Delayed {
			left := v.Number("time-left") * second
			j.after, j.before = asked+left, answered+left+second
		}
		j.Size = uint32(len(j.body))
		jobs[id] = j
	}
	return jobs
}

// restarted lists what beanstalkd knows after a restart. The one that a restart adds to
// the buries of a buried job is taken off again.
func restarted(t *testing.T, dir string, last uint64, flags ...string) map[uint64]listed {
	t.Helper()
	b := start(t, dir, flags...)
	defer b.kill()
	jobs := b.list(last)
	for id, j := range jobs {
		if j.State == storage.Buried {
			j.Buries--
			jobs[id] = j
		}
	}
	return jobs
}
