package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"beanfield/storage/must"
	"beanfield/tools/server"
)

var built server.Build

func TestMain(m *testing.M) { os.Exit(built.Run(m)) }

func smallRun(t *testing.T, command []string) (options, *bytes.Buffer) {
	out := new(bytes.Buffer)
	return options{kills: 2, seed: 1, dir: t.TempDir(), server: command, conns: 6, pause: 300 * time.Millisecond,
		moving: answerWithin, out: out}, out
}

func TestTheServerKeepsItsWord(t *testing.T) {
	o, out := smallRun(t, []string{must.Get(built.Program())})
	must.Do(t, run(t.Context(), o))
	t.Log(out)
}

// A server that forgets everything, or only what it was told last, is caught.
func TestAForgetfulServerIsCaught(t *testing.T) {
	program := must.Get(built.Program())
	for name, c := range map[string]struct{ script, want string }{
		"keeps nothing": {`rm -rf "$dir" && mkdir "$dir" && exec "$@"`, "is lost"},
		"goes back to a backup": {`if [ -d "$dir.old" ]; then rm -rf "$dir"; cp -r "$dir.old" "$dir"; else cp -r ` +
			`"$dir" "$dir.old"; fi; exec "$@"`, "is lost"},
	} {
		t.Run(name, func(t *testing.T) {
			wrapper := filepath.Join(t.TempDir(), "server")
			// The data directory stands behind -b.
			text := "#!/bin/sh\nn=0; for a in \"$@\"; do if [ $n = 1 ]; then dir=$a; fi; n=0; if [ \"$a\" = -b ]; " +
				"then n=1; fi; done\n" + c.script + "\n"
			must.Do(t, os.WriteFile(wrapper, []byte(text), 0o755))
			o, _ := smallRun(t, []string{wrapper, program})
			o.moving = time.Second // what is lost never comes
			err := run(t.Context(), o)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(),
				"seed 1, after kill ") {
				t.Errorf("want a failure with %q, got %.1000v", c.want, err)
			}
		})
	}
}
