package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// A machine is what a reader must know to place the numbers.
type machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Memory int64  `json:"memory_bytes"`
	Kernel string `json:"kernel"`
	Go     string `json:"go"`
}

func thisMachine() machine {
	m := machine{CPU: "unknown processor", Cores: runtime.NumCPU(), Go: runtime.Version(), Memory: meminfo("MemTotal:")}
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			m.CPU = strings.TrimSpace(value)
			break
		}
	}
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	m.Kernel = strings.TrimSpace(string(kernel))
	return m
}

func (m machine) String() string {
	return fmt.Sprintf("%s, %d cores, %d GB, Linux %s, %s", m.CPU, m.Cores, (m.Memory+1<<29)>>30, m.Kernel, m.Go)
}

// calmLook is how long the machine must be quiet to count as that.
const calmLook = 250 * time.Millisecond

// awaitCalm returns when the machine is quiet, or has not been for so long.
func awaitCalm(ctx context.Context, patience time.Duration) error {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		before, err := machineBusy()
		if err != nil {
			return err
		}
		select {
		case <-time.After(calmLook):
		case <-ctx.Done():
			return ctx.Err()
		}
		after, err := machineBusy()
		if err != nil || float64(after-before) <= disturbed*float64(calmLook) {
			return err
		}
	}
	return nil
}
