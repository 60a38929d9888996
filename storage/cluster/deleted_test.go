package cluster

import (
	"slices"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// Streams that are deleted under the nodes: nobody serves, every node says which stream is missing, and the copies keep
// what they have.
func TestStreamsAreDeleted(t *testing.T) {
	c := newTrio(t)
	_, term, _ := c.three()
	for _, stream := range c.nodes["a"].replicas[0].shard.Streams() {
		must.Get(c.nodes["a"].conn.Request("$JS.API.STREAM.DELETE."+stream, nil, generous))
	}
	if err := term.Append(0, []byte("two;")); err == nil {
		t.Error("an append to nowhere counts")
	}
	for name, n := range c.nodes {
		until(t, name+" says what is missing", func() bool {
			return slices.ContainsFunc(n.Status().Problems, func(s string) bool {
				return strings.Contains(s, "has no stream")
			})
		})
		if !c.stores[name].has(0, "one;") || term.Holds() {
			t.Errorf("%s: %v, and the term holds: %v", name, c.stores[name].turns, term.Holds())
		}
	}
}
