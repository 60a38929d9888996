package main

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"beanfield/cmd/beanfield/config"
	"beanfield/storage/must"
)

// backupsIn makes backups by a clock that stands still, and logs by default.
func backupsIn(path string, checkpoint func(string) error) (*backups, *bytes.Buffer) {
	var log bytes.Buffer
	return &backups{
		path: path, checkpoint: checkpoint, log: newLogger(&log, must.Get(config.Load(config.Flags{})),
			new(slog.LevelVar)),
		now: func() time.Time { return time.Date(2024, 2, 29, 23, 4, 5, 999, time.FixedZone("", -3600)) },
	}, &log
}

func names(t *testing.T, dir string) (found []string) {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))
	for _, e := range entries {
		found = append(found, e.Name())
	}
	return found
}

func TestBackupIsNamedWhenComplete(t *testing.T) {
	path := filepath.Join(t.TempDir(), "backups")
	const name = "beanfield-20240301T000405Z"
	b, log := backupsIn(path, func(dir string) error {
		if _, err := os.Lstat(dir); err == nil {
			t.Errorf("%s exists before it is made", dir)
		}
		if got := names(t, path); slices.Contains(got, name) {
			t.Errorf("there is %q while it is made", got)
		}
		return os.WriteFile(filepath.Join(mustMkdir(t, dir), "data"), nil, 0o600)
	})
	b.begin()
	b.wait()
	if got := names(t, path); !slices.Equal(got, []string{name}) {
		t.Errorf("there is %q", got)
	}
	if got := names(t, filepath.Join(path, name)); !slices.Equal(got, []string{"data"}) {
		t.Errorf("the backup holds %q", got)
	}
	has(t, log.String(), `level=NOTICE msg="backup complete" path=`+filepath.Join(path, name))
	b.begin() // within the same second
	b.wait()
	has(t, log.String(), "backup failed", name+" exists")
}

func mustMkdir(t testing.TB, dir string) string {
	t.Helper()
	must.Do(t, os.Mkdir(dir, 0o700))
	return dir
}

// A backup that fails leaves nothing behind, and the next one can begin.
func TestBackupFails(t *testing.T) {
	path := t.TempDir()
	b, log := backupsIn(path, func(dir string) error {
		mustMkdir(t, dir)
		return errors.New("it broke")
	})
	for range 2 {
		b.begin()
		b.wait()
	}
	if got := strings.Count(log.String(), `level=ERROR msg="backup failed" error="it broke"`); got != 2 {
		t.Errorf("the log says %q", log)
	}
	if got := names(t, path); len(got) > 0 {
		t.Errorf("%q is left", got)
	}
}

func TestBackupNeedsParent(t *testing.T) {
	b, log := backupsIn(filepath.Join(t.TempDir(), "none", "backups"), func(string) error {
		t.Error("it copies")
		return nil
	})
	b.begin()
	b.wait()
	has(t, log.String(), "no such file or directory")
}

func TestBackupsRunOneAtATime(t *testing.T) {
	begun, goOn := make(chan bool), make(chan bool)
	b, log := backupsIn(t.TempDir(), func(dir string) error {
		mustMkdir(t, dir)
		begun <- true
		<-goOn
		return nil
	})
	b.begin()
	<-begun
	b.begin()
	has(t, log.String(), "another one is still running")
	goOn <- true
	b.wait()
	has(t, log.String(), "backup complete")
}

// Whoever sees the name of a backup may ask for the next one, though the first may still be
// tidying up.
func TestBackupAfterABackup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "backups")
	b, log := backupsIn(path, func(dir string) error { return os.Mkdir(dir, 0o700) })
	first := b.now()
	var asked atomic.Int64
	b.now = func() time.Time {
		n := asked.Add(1)
		if n == 2 { // the first has its name, and has not ended
			if got := names(t, path); len(got) != 1 {
				t.Errorf("there are %q", got)
			}
			b.begin()
		}
		return first.Add(time.Duration(n) * time.Second)
	}
	b.begin()
	b.wait()
	if got := names(t, path); len(got) != 2 || strings.Contains(log.String(), "still running") {
		t.Errorf("there are %q, and the log says %q", got, log)
	}
}
