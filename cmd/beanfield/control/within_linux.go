package control

import (
	"os"
	"path/filepath"
	"strconv"
)

// within calls f with a short name of the socket in a directory, which holds during the call (CO2).
func within(dir string, f func(path string) error) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return f(filepath.Join("/proc/self/fd", strconv.Itoa(int(d.Fd())), Name))
}
