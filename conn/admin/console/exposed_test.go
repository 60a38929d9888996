package console

import (
	"encoding/base64"
	"strings"
	"sync/atomic"
	"testing"
)

// A token that a rule knows is stored neither by a put nor by a move of a job that is older than
// the rule. That job stays where it is.
func TestKnownTokenIsNoJob(t *testing.T) {
	var known atomic.Bool
	b := newBench(t, Rights{Act: true}, func(o *Options) {
		o.Exposes = func(body []byte) bool { return known.Load() && strings.HasPrefix(string(body), "oauth one") }
	})
	old := b.post(200, "put", fields{"tube": "a", "data": "oauth one", "delay": 500}).ID
	known.Store(true)
	b.post(400, "put", fields{"tube": "a", "data": "oauth one"})
	b.post(400, "put", fields{"tube": "a", "base64": base64.StdEncoding.EncodeToString([]byte("oauth one\n"))})
	b.post(400, "move-job", fields{"id": old, "to": "b"})
	b.post(400, "move", fields{"tube": "a", "to": "b", "states": []string{"delayed"}})
	b.expect("a", 0, 1, 0)
	b.post(200, "put", fields{"tube": "b", "data": "oauth two"})
	b.expect("b", 1, 0, 0)
}
