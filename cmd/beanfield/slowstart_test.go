package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/storage"
)

// startThatTakes logs a start in which a store opens for so long and jobs are replayed for 2 s.
func startThatTakes(t *testing.T, opening time.Duration) (log string) {
	var b bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		steps := new(storage.Steps)
		end := watchStart(steps, slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: withoutTime})))
		step := steps.Begin("opening shard-000", "")
		time.Sleep(opening - time.Millisecond) // by the bubble's clock
		step.End()
		step = steps.Begin("replaying shard-000", "jobs")
		step.Count()
		time.Sleep(2 * time.Second)
		step.End()
		end()
		end() // also when the start is over in another way
	})
	return b.String()
}

// A start that takes long says what it is doing, less and less often, and at its end what took
// longest.
func TestSlowStartSaysWhatItDoes(t *testing.T) {
	if got := startThatTakes(t, 3*time.Second); got != "" {
		t.Errorf("a start of five seconds says %q", got)
	}
	const line = "level=NOTICE msg=\"the start takes long\" seconds="
	want := line + "5 doing=\"replaying shard-000: 1.0 s, 1 jobs\"\n" +
		"level=NOTICE msg=\"the start took long\" seconds=5.999 longest=\"opening shard-000: 4.0 s; replaying shard-000: 2.0 s, 1 jobs\"\n"
	if got := startThatTakes(t, 4*time.Second); got != want {
		t.Errorf("it says\n%swant\n%s", got, want)
	}
	var at []string
	for l := range strings.Lines(startThatTakes(t, 200*time.Second)) {
		if rest, ok := strings.CutPrefix(l, line); ok {
			at = append(at, rest[:strings.Index(rest, " ")])
			if !strings.Contains(rest, "opening shard-000: ") {
				t.Errorf("it says %q", l)
			}
		}
	}
	if got := strings.Join(at, " "); got != "5 15 35 75 135 195" {
		t.Errorf("it says something after %s seconds", got)
	}
}
