package socket

import (
	"strings"
	"testing"
)

func TestOnlyThisMachine(t *testing.T) {
	for addr, good := range map[string]bool{
		"127.0.0.1:1": true, "[::1]:1": true, "unix:/no/such/b": true,
		"192.0.2.1:11300": false, "0.0.0.0:11300": false, "example.com:11300": false, "127.0.0.1": false,
	} {
		// Nobody listens at any of them.
		if _, err := Dial(addr); err == nil || strings.HasPrefix(err.Error(), "address ") == good {
			t.Errorf("%s: %v", addr, err)
		}
	}
}
