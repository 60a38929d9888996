package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"beanfield/cmd/beanfield/config"
	"beanfield/storage/must"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if dir := filepath.Dir(built.path); built.path != "" {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// release is the version that the linker sets in what the tests build, as for a release.
const release = "9.8.7"

// built is the program itself, built once, and only if a test needs it.
var built struct {
	once sync.Once
	path string
	err  error
}

func binary(t testing.TB) string {
	t.Helper()
	built.once.Do(func() {
		dir, err := os.MkdirTemp("", "beanfield")
		if err != nil {
			built.err = err
			return
		}
		built.path = filepath.Join(dir, "beanfield")
		if out, err := exec.Command("go", "build", "-ldflags", "-X main.version="+release, "-o", built.path,
			".").CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w\n%s", err, out)
		}
		if err := os.Chmod(dir, 0o755); err != nil { // for tests that become another user
			built.err = err
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.path
}

// fileWith is a configuration file with this text.
func fileWith(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "beanfield.toml")
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// configOf is the configuration of the words of a command line and of a file.
func configOf(t testing.TB, args, text string) *config.Config {
	t.Helper()
	return must.Get(config.Load(must.Get(config.ParseFlags(append(strings.Fields(args), "-config",
		fileWith(t, text))))))
}
