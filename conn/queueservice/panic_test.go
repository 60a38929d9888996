package queueservice

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"beanfield/shard/queue"
)

const panicEnv = "QUEUESERVICE_TEST_PANIC"

// A panic in a shard ends the process, though net/http would go on.
func TestPanicEndsTheProcess(t *testing.T) {
	if os.Getenv(panicEnv) != "" {
		h := newHouse(t, nil)
		h.answer = func(*queue.Op) { panic("S1 is broken") }
		c := h.start("GET", base, "", "")
		c.Response("GET")
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^TestPanicEndsTheProcess$", "-test.timeout=60s")
	child.Env = append(os.Environ(), panicEnv+"=1")
	text, err := child.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !strings.Contains(string(text), "panic: S1 is broken") ||
		!strings.Contains(string(text), "panic_test.go") {
		t.Errorf("%v: %s", err, text)
	}
}
