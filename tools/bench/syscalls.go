package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
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

// countSyscalls uses perf, which only counts and hardly slows the server, else
// strace, which slows it much but counts as well. Where neither may be used the
// result is nil: the run is good without it.
func (r *run) countSyscalls(ctx context.Context, done <-chan struct{}, say func(string, ...any)) *syscallCount {
	select {
	case <-time.After(time.Duration(r.end.Load()-r.now()) + 100*time.Millisecond):
	case <-done:
		return nil
	case <-ctx.Done():
		return nil
	}
	if r.target.pid == 0 {
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

// perfCount attaches for a second. Attaching takes time itself, so the operations are
// those of a longer stretch, scaled to the second.
func (r *run) perfCount(ctx context.Context) (*syscallCount, error) {
	cmd := exec.CommandContext(ctx, "perf", "stat", "-x", ";", "-e", "raw_syscalls:sys_enter",
		"-p", strconv.Itoa(r.target.pid), "--", "sleep", fmt.Sprint(perfWindow.Seconds()))
	var out bytes.Buffer
	cmd.Stderr = &out
	from, began := r.replies(), time.Now()
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %.100q", err, out.String())
	}
	rate := float64(r.replies()-from) / time.Since(began).Seconds()
	calls, err := perfCalls(out.String())
	if err != nil {
		return nil, err
	}
	return &syscallCount{calls, rate * perfWindow.Seconds()}, nil
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

// straceCount attaches until enough was seen, then reads strace's summary.
func (r *run) straceCount(ctx context.Context) (*syscallCount, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "strace", "-c", "-f", "-p", strconv.Itoa(r.target.pid))
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
