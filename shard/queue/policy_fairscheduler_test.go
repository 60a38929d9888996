package queue

import (
	"cmp"
	"slices"
	"strings"

	"beanfield/shard/queue/naive"
	"beanfield/shard/queue/policy"
)

// firstClock is where the clocks of fair schedulers begin here: so that tags soon wrap around.
const firstClock = ^uint64(0) - 3*policy.Worth

// fairClock is one for tests in one goroutine.
type fairClock struct{ tag uint64 }

func newClock(tag uint64) *fairClock { return &fairClock{tag} }

func (k *fairClock) Read() uint64 { return k.tag }

func (k *fairClock) Advance(tag uint64) {
	if int64(tag-k.tag) > 0 {
		k.tag = tag
	}
}

// fairOf is the fair scheduler of a client's tubes and of the tags that it asks for, as the router finds it.
func (w *world) fairOf(c *Client, asked *Options) *policy.FairScheduler {
	if len(w.policies) == 0 {
		return nil // a client may watch very many tubes
	}
	var names []string
	for _, t := range c.watched {
		names = append(names, t.name)
	}
	for i := uint32(0); c.many != nil && i < c.many.tubes.N; i++ {
		names = append(names, c.many.tubes.Get(i).name)
	}
	heavy := slices.ContainsFunc(names, func(name string) bool {
		return w.policies[name] != nil && w.policies[name].Weight > 0
	})
	if !heavy || len(names) < 2 {
		return nil
	}
	slices.Sort(names)
	key := strings.Join(names, " ")
	if asked != nil {
		key += string(asked.Tags)
	}
	if w.fairs[key] == nil {
		w.fairs[key] = &policy.FairScheduler{Clock: newClock(firstClock)}
	}
	return w.fairs[key]
}

// tagOf is a tag of the model's as the state has it.
func (w *world) tagOf(client int, tag int64) uint64 {
	if w.fairOf(&w.users[string(rune('0'+client))].client, nil) == nil {
		return 0
	}
	return firstClock + uint64(tag)*(policy.Worth/naive.Share)
}

// worstTag is how far a claim goes.
func (x *machine) worstTag(c int) uint64 {
	if _, tag := x.m.Next(c); x.pick(2, "tag") == 0 {
		return x.w.tagOf(c, tag+int64(x.pick(3, "further"))*naive.Share/2)
	}
	return x.w.tagOf(c, 1<<20)
}

// behind says that a job is worse than a claim goes.
func (x *machine) behind(v *Several, j *naive.Job, tag uint64) bool {
	id := j.ID
	if x.m.Policies[j.Tube] != nil && x.m.Policies[j.Tube].Aging > 0 {
		id = 0 // jobs that rise keep their order
	}
	return cmp.Or(cmp.Compare(int64(tag-v.Tag), 0), cmp.Compare(x.m.AgedPri(j), v.Pri), cmp.Compare(id, v.ID)) > 0
}
