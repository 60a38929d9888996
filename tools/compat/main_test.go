package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"beanfield/conn/beanstalk/client/clienttest"
	"beanfield/storage/must"
)

// overReference runs the whole program with beanstalkd on both sides.
func overReference(t *testing.T, ctx context.Context, args ...string) (bool, string, error) {
	t.Helper()
	path := clienttest.Beanstalkd(t)
	var out bytes.Buffer
	equal, err := run(ctx, append(args, "-same", "-subject", path, "-reference", path), &out)
	return equal, out.String(), err
}

func TestOneSeed(t *testing.T) {
	t.Parallel()
	equal, out, err := overReference(t, context.Background(), "-seed", "2", "-steps", "30")
	if !equal || err != nil || !strings.Contains(out, "over 1 seeds and 0 odd lines") {
		t.Errorf("equal=%v, %v\n%s", equal, err, out)
	}
}

func TestSomeCases(t *testing.T) {
	t.Parallel()
	equal, out, err := overReference(t, context.Background(), "-table", "^(jobs|names|tubes|differs/fifo)")
	if !equal || err != nil || !strings.Contains(out, "all equal") {
		t.Errorf("equal=%v, %v\n%s", equal, err, out)
	}
}

// A run that is interrupted ends, and does not claim that all was equal.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	equal, out, err := overReference(t, ctx)
	if equal || !errors.Is(err, context.Canceled) {
		t.Errorf("equal=%v, %v\n%s", equal, err, out)
	}
}

func TestFlagMistakes(t *testing.T) {
	for _, args := range [][]string{{"-table", "("}, {"-nonsense"}, {"extra"}, {"-steps", "x"}} {
		if equal, err := run(context.Background(), args, new(bytes.Buffer)); equal || err == nil {
			t.Errorf("%q was accepted", args)
		}
	}
	if _, err := run(context.Background(), []string{"-h"}, new(bytes.Buffer)); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-h: %v", err)
	}
}

// A table that compares nothing must not look like success.
func TestNothingCompared(t *testing.T) {
	t.Parallel()
	if equal, _, err := overReference(t, context.Background(), "-table", "^no such case$"); equal || err == nil {
		t.Errorf("equal=%v, %v", equal, err)
	}
}

// A cluster that does not start is started again, once; a server is not.
func TestStartedAgain(t *testing.T) {
	t.Parallel()
	path := clienttest.Beanstalkd(t)
	for _, cluster := range []bool{true, false} {
		second := filepath.Join(t.TempDir(), "second")
		script := fmt.Sprintf("#!/bin/sh\n[ -e %[1]s.begun ] && exec %[2]s \"$@\"\ntouch %[1]s.begun\n", second, path)
		must.Do(t, os.WriteFile(second, []byte(script), 0o700))
		p := programs{reference: []string{path}, subject: map[form][]string{never: {second}}, through: cluster}
		pr, err := startPair(t.Context(), p, never, defaultMaxJob)
		if err == nil {
			pr.stop()
		}
		if (err == nil) != cluster {
			t.Errorf("cluster: %t, %v", cluster, err)
		}
	}
}
