package socket

import (
	"testing"
)

func TestOnlyThisMachine(t *testing.T) {
	for addr, good := range map[string]bool{
		"127.0.0.1:11300": true, "[::1]:11300": true, "unix:/tmp/b": true,
		"192.0.2.1:11300": false, "0.0.0.0:11300": false, "example.com:11300": false, "127.0.0.1": false,
	} {
		if _, _, err := address(addr); (err == nil) != good {
			t.Errorf("%s: %v", addr, err)
		}
	}
}
