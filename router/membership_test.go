package router

import (
	"fmt"
	"testing"
)

// A session whose tubes are all on one shard knows that: its reserves are one message.
func TestWatchShard(t *testing.T) {
	const shards = 4
	r := newRouterOf(shards)
	on := map[int][]string{} // tubes by their shards
	for i := 0; len(on) < shards || len(on[0]) < 2 || len(on[1]) < 2; i++ {
		name := fmt.Sprint("tube ", i)
		shard := r.TubeShard([]byte(name))
		on[shard] = append(on[shard], name)
	}
	c := newClient(r, on[0][0])
	defer c.close()
	for _, step := range []struct {
		watch bool
		tube  string
		want  int
	}{
		{true, on[0][1], 0}, {true, on[1][0], -1}, {true, on[1][1], -1}, {false, on[1][0], -1}, {false, on[1][1], 0},
		{true, on[2][0], -1}, {false, on[0][0], -1}, {false, on[0][1], 2}, {true, on[3][0], -1}, {false, on[2][0], 3},
	} {
		if step.watch {
			c.Finish(c.Watch([]byte(step.tube)))
		} else if done, refused := c.Ignore([]byte(step.tube)); refused {
			t.Fatal("the last tube")
		} else {
			c.Finish(done)
		}
		if c.watchShard != step.want {
			t.Errorf("after %+v the one shard is %d, want %d", step, c.watchShard, step.want)
		}
	}
}
