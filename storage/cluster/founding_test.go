package cluster

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"beanfield/storage/must"
	"beanfield/storage/turns"
)

// A cluster that begins with the jobs of a directory is founded by the node that has it, however late that
// one comes, and owned by that one until the others have its jobs.
func TestFounding(t *testing.T) {
	c := newTrio(t)
	founder := "c"
	f := Founding{Cluster: "test", Shards: 2}
	m := c.stores[founder]
	for i := range uint64(2) {
		p := turns.Place{Origin: 0xf00 + i, Hash: 1<<63 + i}
		m.places, m.turns = append(m.places, p), append(m.turns, nil)
		f.Origins = append(f.Origins, Base{strconv.FormatUint(p.Origin, 16), strconv.FormatUint(p.Hash, 16)})
	}
	must.Do(t, os.WriteFile(filepath.Join(c.dirs[founder], FoundingName), must.Get(json.Marshal(f)), 0o600))
	c.start("a", "b", "c")
	for name, n := range c.nodes {
		for i, r := range n.replicas {
			if r.shard.Origin() != 0xf00+uint64(i) || r.shard.Base() != 1<<63+uint64(i) {
				t.Errorf("at %s the log of shard %d begins at %x, %x", name, i, r.shard.Origin(), r.shard.Base())
			}
		}
	}
	name, term := c.owner()
	if name != founder {
		t.Errorf("node %s, which has none of the jobs, owns the shards", name)
	}
	c.append(term, "more;", founder)
	for name, m := range c.stores {
		until(t, "node "+name+" has the jobs, by a checkpoint, and what came after", func() bool {
			place := m.Place(0)
			return place.Number == 1 && place.Hash == founder0(c).Hash && (name == founder || m.count() == 2)
		})
	}
}

func founder0(c *trio) turns.Place { return c.stores["c"].Place(0) }
