package machine

import (
	"os"

	"beanfield/tools/server"
)

// Meminfo reads one line of /proc/meminfo, in bytes; MemAvailable: is what could be
// used without swapping.
func Meminfo(key string) int64 {
	text, _ := os.ReadFile("/proc/meminfo")
	return server.Field(text, key)
}
