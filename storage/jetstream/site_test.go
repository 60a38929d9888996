package jetstream

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// pretender is a server that says what it is, and answers nothing but PING.
func pretender(t *testing.T, version string, payload int) (url string) {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	t.Cleanup(func() { must.Do(t, l.Close()) })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				fmt.Fprintf(conn, "INFO {\"server_id\":\"x\",\"version\":%q,\"max_payload\":%d,\"headers\":true,\"proto\":1}\r\n", version, payload)
				for in := bufio.NewScanner(conn); in.Scan(); {
					if in.Text() == "PING" {
						fmt.Fprint(conn, "PONG\r\n")
					}
				}
			}()
		}
	}()
	return "nats://" + l.Addr().String()
}

// An engine that loses what it has acknowledged, or takes no record, is refused with words that say what to do.
func TestUnfitEngines(t *testing.T) {
	good, old, small := pretender(t, "2.15.2", MaxPayload), pretender(t, "2.15.1", MaxPayload), pretender(t, "2.15.2",
		MaxPayload-1)
	for name, c := range map[string]struct {
		url  string
		any  bool
		says string // "": it is taken
	}{
		"a good one": {good, false, ""},
		"an old one": {old, false, "2.15.1; at least 2.15.2 is needed, unless you take the risk to " +
			"lose jobs (engine_unsafe)"},
		"an old one, with the risk": {old, true, ""},
		"small messages":            {small, true, "its max_payload is 8388607; at least 8388608 is needed"},
	} {
		dial := Connect
		if c.any {
			dial = ConnectAny
		}
		nc, err := dial([]string{c.url})
		if err == nil {
			nc.Close()
		}
		if (err == nil) != (c.says == "") || err != nil && (!strings.HasSuffix(err.Error(), c.says) || !Unfit(err)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Connect([]string{"nats://127.0.0.1:1"}); err == nil || Unfit(err) {
		t.Errorf("one that is not there: %v", err)
	}
	if nc := must.Get(Connect([]string{good, old})); nc.ConnectedUrl() != good {
		t.Errorf("of several it has taken %s", nc.ConnectedUrl())
	} else {
		nc.Close()
	}
	if Unfit(errors.New("other")) {
		t.Error("any error is said to be one of an engine that is no good")
	}
}
