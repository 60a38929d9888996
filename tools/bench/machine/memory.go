package machine

import (
	"os"
	"strconv"
	"strings"
)

// Meminfo reads one line of /proc/meminfo, in bytes; MemAvailable: is what could be
// used without swapping.
func Meminfo(key string) int64 {
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == key {
			kb, _ := strconv.ParseInt(f[1], 10, 64)
			return kb << 10
		}
	}
	return 0
}
