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
		if n := s.count("", "cmd-delete"); n != 2000 {
			t.Errorf("%d jobs were deleted", n)
		}
		text := s.run("bench", "-jobs", "10")
		if text.code != 0 || strings.Count(text.stdout, "/s\n") != 3 {
			t.Errorf("%+v", text)
		}
	})
}

// A bench that fails leaves no jobs behind.
func TestBenchCleansUp(t *testing.T) {
	s := startServer(t, "-z", "50")
	s.talk(fmt.Sprintf(`
$ put -tube beanfield.bench.%d left behind
1
2
$ bench -size 100 [1 JOB_TOO_BIG]
$ peek 1 2 [3 not found: 1, 2]`, os.Getpid()))
}

func TestBackup(t *testing.T) {
	s := startServer(t, "-b", "DIR/data")
	data := s.data()
	s.talk("$ put -tube mail one two\n1\n2")
	const long = "5m" // a busy server may begin late
	o := ran("backup", data, "-timeout", long)
	path := strings.TrimSpace(o.stdout)
	if o.code != 0 || filepath.Dir(path) != data+"-backups" {
		t.Fatalf("%+v", o)
	}
	talk(t, ran, "$ dump -bodies "+path+"\n~ \"two\"\n$ backup -check "+path+"\n~     2        0       0     2      6  mail")
	second := ran("backup", data, "-quick", "-json", "-timeout", long) // within the same second
	var v struct{ Path string }
	if err := json.Unmarshal([]byte(second.stdout), &v); err != nil || second.code != 0 || v.Path <= path {
		t.Errorf("%+v: %v", second, err)
	}
	talk(t, ran, "$ backup -check "+data+" [1 in use by process]")
	s.kill()
	talk(t, ran, strings.ReplaceAll(`
$ backup DATA [1 no server has DATA open]
$ backup -check DATA
~ mail
$ backup -check / [1 not a data directory]
$ backup DATA/none [1 no such file]
$ backup [2 name the server's configuration with -config, or its data directory]
$ backup -check [2 name one directory]`, "DATA", data))
	damage(t, path)
	bad := ran("backup", "-check", path)
	if bad.code != 1 || !strings.Contains(bad.stdout, "damaged: ") || !strings.Contains(bad.stderr, "cannot be read") {
		t.Errorf("%+v", bad)
	}
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
	s := startServer(t, "-b", "DIR/data")
	writeFile(t, s.data()+"-backups", "a file is in the way")
	talk(t, ran, "$ backup "+s.data()+" [1 not a directory]\n"+
		"$ backup "+s.data()+" -path "+t.TempDir()+" -timeout 100ms [1 has made no backup in]")
}
