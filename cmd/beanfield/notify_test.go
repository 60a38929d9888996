package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"beanfield/storage/must"
)

func TestNotify(t *testing.T) {
	abstract := fmt.Sprintf("@beanfield-test-%d", os.Getpid())
	for _, name := range []string{filepath.Join(t.TempDir(), "notify"), abstract} {
		c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		t.Setenv("NOTIFY_SOCKET", name)
		must.Do(t, notify("READY=1"))
		b := make([]byte, 100)
		c.SetReadDeadline(time.Now().Add(patience))
		n, err := c.Read(b)
		if string(b[:n]) != "READY=1" {
			t.Errorf("%s: read %q, %v", name, b[:n], err)
		}
	}
	t.Setenv("NOTIFY_SOCKET", "/no/such/socket")
	if err := notify("READY=1"); err == nil {
		t.Error("nobody hears, and no error")
	}
	t.Setenv("NOTIFY_SOCKET", "")
	if err := notify("READY=1"); err != nil {
		t.Error(err)
	}
}
