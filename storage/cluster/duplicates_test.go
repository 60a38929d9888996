package cluster

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// I5 on the real engine: a second process with the name of a node, and a copy of its promises, ends, and the first one
// serves on or follows. CN9: with an empty directory, and where the others look for the node, it waits until that one
// has gone, and then comes in its place.
func TestTwoNodesWithOneName(t *testing.T) {
	c := newTrio(t)
	c.at = map[string]string{"a": free()}
	c.three()
	delete(c.at, "a")
	o := c.of("a")
	o.Dir, o.Logger = t.TempDir(), c.log.Logger().With("node", "a again")
	var promised []byte
	until(t, "node a has promised something", func() bool {
		var err error
		promised, err = os.ReadFile(filepath.Join(c.dirs["a"], promisesName))
		return err == nil
	})
	must.Do(t, os.WriteFile(filepath.Join(o.Dir, promisesName), promised, 0o600))
	copies := &memory{}
	o.Open = func(o Opening) (Copies, error) {
		if copies.places == nil {
			copies.places, copies.turns = o.Origins, make([][]string, len(o.Origins))
		}
		return copies, nil
	}
	n, err := Start(limited(t), o)
	if err == nil {
		_, err = n.Term(limited(t))
		_ = n.Close(limited(t))
	}
	if !errors.Is(err, ErrRefused) {
		t.Error("the second one:", err)
	}
	c.fit("a", "b", "c")
	_, term := c.owner()
	c.append(term, "two;", "a", "b", "c")

	c.dirs["a"], c.stores["a"] = t.TempDir(), &memory{}
	waits := c.begin("a")
	until(t, "it waits", func() bool { return strings.Contains(waits(), "another process is node a, as node ") })
	_, term = c.owner()
	c.append(term, "three;", "b", "c")
	c.kill("a")
	c.arrives()
	c.fit("a", "b", "c")
	_, term = c.owner()
	c.append(term, "four;", "a", "b", "c")
}
