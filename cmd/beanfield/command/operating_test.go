package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"beanfield/storage/must"
)

func TestBench(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		for _, more := range [][]string{nil, {"-depth", "7", "-connections", "3"}} {
			o := s.run(append([]string{"bench", "-json", "-jobs", "1000"}, more...)...)
			var r results
			if err := json.Unmarshal([]byte(o.stdout), &r); err != nil || o.code != 0 || r.Jobs != 1000 ||
				min(r.Put, r.Reserve, r.Delete) < 100 {
				t.Errorf("%+v: %v", o, err)
			}
		}
		s.vanishes(fmt.Sprintf("beanfield.bench.%d", os.Getpid()))
		if n := asks(s, "cmd-delete"); n != 2000 {
			t.Errorf("%d jobs were deleted", n)
		}
		s.run("bench", "-jobs", "0").want(t, 2, "", "-jobs up to")
		s.run("bench", "-connections", "201").want(t, 2, "", "-connections up to")
		text := s.run("bench", "-jobs", "10")
		if text.code != 0 || strings.Count(text.stdout, "/s\n") != 3 {
			t.Errorf("%+v", text)
		}
	})
	ran(t, "bench", "-server", "unix:/nowhere").want(t, 1, "", "cannot reach")
}

// A bench that fails leaves no jobs behind.
func TestBenchCleansUp(t *testing.T) {
	s := startServer(t, beanfield(t), "-z", "50")
	s.run("put", "-tube", fmt.Sprintf("beanfield.bench.%d", os.Getpid()), "left", "behind").want(t, 0, "1\n2\n", "")
	s.run("bench", "-size", "100").want(t, 1, "", "JOB_TOO_BIG")
	s.run("peek", "1", "2").want(t, 3, "", "not found: 1, 2")
}

func TestBackup(t *testing.T) {
	s := startServer(t, beanfield(t), "-b", "DIR/data")
	data := filepath.Join(s.dir, "data")
	s.run("put", "-tube", "mail", "one", "two").want(t, 0, "1\n2\n", "")
	const long = "5m" // a busy server may begin late
	o := ran(t, "backup", data, "-timeout", long)
	path := strings.TrimSpace(o.stdout)
	if o.code != 0 || filepath.Dir(path) != data+"-backups" {
		t.Fatalf("%+v", o)
	}
	ran(t, "backup", "-check", path).has(t, 0, "    2        0       0     2      6  mail\n")
	ran(t, "dump", "-bodies", path).has(t, 0, `"two"`)
	second := ran(t, "backup", data, "-quick", "-json", "-timeout", long) // within the same second
	var v struct{ Path string }
	if err := json.Unmarshal([]byte(second.stdout), &v); err != nil || second.code != 0 || v.Path <= path {
		t.Errorf("%+v: %v", second, err)
	}
	ran(t, "backup", "-check", data).want(t, 1, "", "in use by process")
	s.kill()
	ran(t, "backup", data).want(t, 1, "", "no server has "+data+" open")
	ran(t, "backup", "-check", data).has(t, 0, "mail")

	damage(t, path)
	bad := ran(t, "backup", "-check", path)
	if bad.code != 1 || !strings.Contains(bad.stdout, "damaged: ") || !strings.Contains(bad.stderr, "cannot be read") {
		t.Errorf("%+v", bad)
	}
	ran(t, "backup", "-check", t.TempDir()).want(t, 1, "", "not a data directory")
	ran(t, "backup", filepath.Join(data, "none")).want(t, 1, "", "no such file")
	ran(t, "backup").want(t, 2, "", "name the server's configuration with -config, or its data directory")
	ran(t, "backup", "-check").want(t, 2, "", "name one directory")
}

// damage flips bits in the middle of every table of a directory. Its logs are empty.
func damage(t *testing.T, dir string) {
	t.Helper()
	files := must.Get(filepath.Glob(filepath.Join(dir, "gen-*", "shard-*", "*.sst")))
	for _, name := range files {
		b := must.Get(os.ReadFile(name))
		for i := len(b) / 3; i < len(b)*2/3; i++ {
			b[i] ^= 0x55
		}
		must.Do(t, os.Chmod(name, 0o600))
		must.Do(t, os.WriteFile(name, b, 0o600))
	}
}

// A server that cannot make a backup does not keep the command waiting.
func TestBackupFails(t *testing.T) {
	s := startServer(t, beanfield(t), "-b", "DIR/data")
	data := filepath.Join(s.dir, "data")
	writeFile(t, data+"-backups", "a file is in the way")
	ran(t, "backup", data).want(t, 1, "", "not a directory")
	ran(t, "backup", data, "-path", t.TempDir(), "-timeout", "100ms").want(t, 1, "", "has made no backup in")
}
