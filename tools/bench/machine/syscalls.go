package machine

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Syscalls counts the system calls of a process that answers operations.
type Syscalls struct {
	PID     int          // 0: not known
	Answers func() int64 // so many so far
	Say     func(format string, args ...any)
}

// syscallsFor is how long system calls are counted.
const syscallsFor = time.Second

// PerAnswer uses perf, which hardly slows the process; or, where perf is missing or
// forbidden, strace, which slows it a lot. Where neither can be used the result is 0. It
// begins at a time, unless it is all done before.
func (s *Syscalls) PerAnswer(ctx context.Context, begin time.Duration, done <-chan struct{}) float64 {
	select {
	case <-time.After(begin):
	case <-done:
		return 0
	case <-ctx.Done():
		return 0
	}
	if s.PID == 0 {
		s.Say("system calls: not counted, the server's process is not known")
		return 0
	}
	n, perfErr := s.perf(ctx)
	if perfErr == nil {
		return n
	}
	n, straceErr := s.strace(ctx)
	if straceErr == nil {
		return n
	}
	s.Say("system calls: not counted (perf: %v; strace: %v)", perfErr, straceErr)
	return 0
}

// each is 0 where nothing was answered.
func each(calls, answers float64) float64 {
	if answers == 0 {
		return 0
	}
	return calls / answers
}

// perf starts perf with its counter off and turns it on and off through pipes.
// perf acknowledges each, so the operations between are those that were counted.
func (s *Syscalls) perf(ctx context.Context) (float64, error) {
	control, order, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer order.Close()
	answer, ack, err := os.Pipe()
	if err != nil {
		return 0, errors.Join(err, control.Close())
	}
	defer answer.Close()
	cmd := exec.CommandContext(ctx, "perf", "stat", "-x", ";", "-e", "raw_syscalls:sys_enter",
		"-p", strconv.Itoa(s.PID), "-D", "-1", "--control", "fd:3,4")
	cmd.ExtraFiles = []*os.File{control, ack} // descriptors 3 and 4 there
	var out bytes.Buffer
	cmd.Stderr = &out
	err = cmd.Start()
	// Only perf holds these ends from here on: if it ends, reading its answer ends.
	control.Close()
	ack.Close()
	if err != nil {
		return 0, err
	}
	operations, err := s.whileCounting(ctx, order, bufio.NewReader(answer))
	cmd.Process.Signal(syscall.SIGINT)
	cmd.Wait() // perf ends by the signal that it was sent
	if err != nil {
		return 0, fmt.Errorf("%w: %.100q", err, out.String())
	}
	calls, err := perfCalls(out.String())
	return each(calls, operations), err
}

// whileCounting tells how many operations were answered while perf counted.
func (s *Syscalls) whileCounting(ctx context.Context, order io.Writer, answer *bufio.Reader) (float64, error) {
	say := func(word string) error {
		if _, err := io.WriteString(order, word+"\n"); err != nil {
			return err
		}
		_, err := answer.ReadString('\n')
		return err
	}
	if err := say("enable"); err != nil {
		return 0, err
	}
	from := s.Answers()
	select {
	case <-time.After(syscallsFor):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	operations := float64(s.Answers() - from)
	return operations, say("disable")
}

// perfCalls reads perf's line "count;unit;event;…".
func perfCalls(text string) (float64, error) {
	rows := csv.NewReader(strings.NewReader(text))
	rows.Comma, rows.Comment, rows.FieldsPerRecord, rows.LazyQuotes = ';', '#', -1, true
	records, err := rows.ReadAll()
	if err != nil {
		return 0, err
	}
	for _, f := range records {
		if len(f) > 2 && strings.HasPrefix(f[2], "raw_syscalls:sys_enter") {
			return strconv.ParseFloat(f[0], 64)
		}
	}
	return 0, fmt.Errorf("no count in %.100q", text)
}

// strace attaches strace for a while, then reads its summary.
func (s *Syscalls) strace(ctx context.Context) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "strace", "-c", "-f", "-p", strconv.Itoa(s.PID))
	pipe, err := cmd.StderrPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	lines := bufio.NewScanner(pipe)
	attached := false
	for !attached && lines.Scan() {
		attached = strings.Contains(lines.Text(), "attached")
	}
	if !attached {
		return 0, fmt.Errorf("not attached: %w", cmd.Wait())
	}
	from := s.Answers()
	select {
	case <-time.After(syscallsFor):
	case <-ctx.Done():
	}
	operations := float64(s.Answers() - from)
	cmd.Process.Signal(syscall.SIGINT)
	calls, found := 0.0, false
	for lines.Scan() {
		// 100.00    1.234567           3    400000           total
		if f := strings.Fields(lines.Text()); len(f) >= 4 && f[len(f)-1] == "total" {
			calls, err = strconv.ParseFloat(f[3], 64)
			found = err == nil
		}
	}
	cmd.Wait() // strace ends by the signal that it was sent
	if !found {
		return 0, fmt.Errorf("strace printed no total")
	}
	return each(calls, operations), nil
}
