package machine

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"beanfield/tools/server"
)

// OthersAllowed is the share of a processor that others may use before a measurement is
// repeated.
const OthersAllowed = 0.10

// A Machine is what a reader must know to place the numbers.
type Machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Memory int64  `json:"memory_bytes"`
	Kernel string `json:"kernel"`
	Go     string `json:"go"`
}

func This() Machine {
	m := Machine{CPU: "unknown processor", Cores: runtime.NumCPU(), Go: runtime.Version(), Memory: Meminfo("MemTotal:")}
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

// Short is enough for the head of a chart.
func (m Machine) Short() string { return fmt.Sprintf("%s, %d cores", m.CPU, m.Cores) }

func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores, %d GB, Linux %s, %s", m.CPU, m.Cores, (m.Memory+1<<29)>>30, m.Kernel, m.Go)
}

// Meminfo reads one line of /proc/meminfo, in bytes; MemAvailable: is what could be
// used without swapping.
func Meminfo(key string) int64 {
	text, _ := os.ReadFile("/proc/meminfo")
	return server.Field(text, key)
}
