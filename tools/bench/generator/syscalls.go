package generator

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

// A syscallCount says how many system calls the server made while the load went on
// after the measurement, and how many operations it answered meanwhile.
type syscallCount struct {
	calls, operations float64
}

// perfWindow is how long system calls are counted.
const perfWindow = time.Second

// countSyscalls uses perf, which hardly slows the server; or, where perf is missing or
// forbidden, strace, which slows it a lot. Where neither can be used the result is nil,
// and the run is valid without it.
func (r *run) countSyscalls(ctx context.Context, done <-chan struct{}, say func(string, ...any)) *syscallCount {
	select {
	case <-time.After(time.Duration(r.end.Load()-r.now()) + 100*time.Millisecond):
	case <-done:
		return nil
	case <-ctx.Done():
		return nil
	}
	if r.target.PID == 0 {
		say("system calls: not counted, the server's process is not known")
		return nil
	}
	n, perfErr := r.perfCount(ctx)
	if perfErr == nil {
		return n
	}
	n, straceErr := r.straceCount(ctx)
	if straceErr == nil {
		return n
	}
	say("system calls: not counted (perf: %v; strace: %v)", perfErr, straceErr)
	return nil
}

// perfCount starts perf with its counter off and turns it on and off through pipes.
// perf acknowledges each, so the operations between are those that were counted.
func (r *run) perfCount(ctx context.Context) (*syscallCount, error) {
	control, order, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer order.Close()
	answer, ack, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, control.Close())
	}
	defer answer.Close()
	cmd := exec.CommandContext(ctx, "perf", "stat", "-x", ";", "-e", "raw_syscalls:sys_enter",
		"-p", strconv.Itoa(r.target.PID), "-D", "-1", "--control", "fd:3,4")
	cmd.ExtraFiles = []*os.File{control, ack} // descriptors 3 and 4 there
	var out bytes.Buffer
	cmd.Stderr = &out
	err = cmd.Start()
	// Only perf holds these ends from here on: if it ends, reading its answer ends.
	control.Close()
	ack.Close()
	if err != nil {
		return nil, err
	}
	operations, err := r.whileCounting(ctx, order, bufio.NewReader(answer))
	cmd.Process.Signal(syscall.SIGINT)
	cmd.Wait() // perf ends by the signal that it was sent
	if err != nil {
		return nil, fmt.Errorf("%w: %.100q", err, out.String())
	}
	calls, err := perfCalls(out.String())
	if err != nil {
		return nil, err
	}
	return &syscallCount{calls, operations}, nil
}

// whileCounting tells how many operations were answered while perf counted.
func (r *run) whileCounting(ctx context.Context, order io.Writer, answer *bufio.Reader) (float64, error) {
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
	from := r.replies()
	select {
	case <-time.After(perfWindow):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	operations := float64(r.replies() - from)
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

// straceCount attaches strace for a while, then reads its summary.
func (r *run) straceCount(ctx context.Context) (*syscallCount, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "strace", "-c", "-f", "-p", strconv.Itoa(r.target.PID))
	pipe, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(pipe)
	attached := false
	for !attached && lines.Scan() {
		attached = strings.Contains(lines.Text(), "attached")
	}
	if !attached {
		return nil, fmt.Errorf("not attached: %w", cmd.Wait())
	}
	from := r.replies()
	select {
	case <-time.After(perfWindow):
	case <-ctx.Done():
	}
	operations := float64(r.replies() - from)
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
		return nil, fmt.Errorf("strace printed no total")
	}
	return &syscallCount{calls, operations}, nil
}
