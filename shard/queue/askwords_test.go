package queue

import (
	"fmt"
	"strings"

	"beanfield/shard/queue/policy"
)

// The words of scripts for the queue service, after "q":
//
//	put QUEUE TAGS                         the answer is the id; pri=, size=, to set it
//	get QUEUE TAGS                         the ids; from=, len=, wait=NAME, take
//	unget QUEUE NAME
//	delete QUEUE IDS, trunc QUEUE ID, end QUEUE, end QUEUE force
//	search QUEUE ID group=G, count QUEUE TAGS
//
// Tags are pairs such as k=v. A get that is told to try again is among those that are
// given something, as NAME!.

// caller is a get that waits.
type caller struct {
	w    *world
	name string
}

func (c *caller) TryAgain() { c.w.called = append(c.w.called, c.name+"!") }

func (w *world) caller(name string) *caller {
	if w.getters == nil {
		w.getters = map[string]*caller{}
	}
	if w.getters[name] == nil {
		w.getters[name] = &caller{w, name}
	}
	return w.getters[name]
}

// tryAgain tells the gets that were called.
func (w *world) tryAgain() {
	called := w.s.Called
	w.s.Called = nil
	for _, g := range called {
		g.TryAgain()
	}
}

// feed ends the turn for the consumers that may be sent something.
func (w *world) feed() {
	for w.s.withRoom.N+len(w.s.ending)+len(w.s.parting) > 0 {
		w.s.renew()
		w.s.feed()
	}
	w.take()
}

// testLimits are those of all queues in tests that need none.
var testLimits = &policy.Limits{MaxDelivery: 5}

// ask runs one word of the queue service and says the answer.
func (w *world) ask(words []string) string {
	op := Op{Kind: Service, Ask: &Ask{Queue: words[1], Limits: testLimits}}
	if w.limits != (policy.Limits{}) {
		l := w.limits
		op.Ask.Limits = &l
	}
	bare := w.askFor(&op, words[0], words[2:])
	a := op.Ask
	num := func() uint64 { return number(bare[0]) }
	switch words[0] {
	case "put":
		a.What = AskPut
		if !w.dir.Closed {
			w.lastID++
		}
		body := strings.Repeat("b", int(op.Size))
		w.bodies[w.lastID] = body
		op.Data = []byte(body)
	case "get":
		a.What, a.Take = AskGet, len(bare) > 0
		a.Length = max(1, a.Length)
	case "unget":
		a.What, a.Getter = AskUnget, w.caller(bare[0])
	case "delete":
		a.What = AskDelete
		for _, id := range bare {
			a.Indexes = append(a.Indexes, number(id))
		}
	case "trunc":
		a.What, a.Index = AskTruncate, num()
	case "end":
		a.What, a.Force = AskEnd, len(bare) > 0
	case "search":
		a.What, op.ID = AskSearch, num()
	case "count":
		a.What = AskCount
	default:
		panic("no such word: " + words[0])
	}
	w.service(&op)
	return w.asked(&op)
}

// askFor takes what is written as key=value, and returns the rest. The tags are what
// is no parameter.
func (w *world) askFor(op *Op, verb string, words []string) (bare []string) {
	tags := map[string]string{}
	a := op.Ask
	for _, word := range words {
		k, v, ok := strings.Cut(word, "=")
		switch {
		case !ok:
			bare = append(bare, word)
		case k == "pri":
			op.Pri, a.ByPri = uint32(number(v)), verb == "count"
		case k == "size":
			op.Size = uint32(number(v))
		case k == "from" && v == "-1":
			a.Index = NewestIndex
		case k == "from":
			a.Index = number(v)
		case k == "len":
			a.Length = int(number(v))
		case k == "group":
			a.Group = v
		case k == "wait":
			a.Wait, a.Getter = true, w.caller(v)
		default:
			tags[k] = v
		}
	}
	a.Tags = MakeTags(tags)
	return bare
}

// asked says the answer, and looks at the items of a get.
func (w *world) asked(op *Op) string {
	w.t.Helper()
	a := op.Ask
	if op.Status != OK {
		return answerOf[op.Status]
	}
	switch a.What {
	case AskPut:
		return fmt.Sprint(op.ID)
	case AskGet:
		var ids []string
		for i, it := range a.Found.Items {
			ids = append(ids, fmt.Sprint(it.Index))
			if body := string(a.Found.Small(i)) + string(joined(it.Large)); body != w.bodies[it.Index] {
				w.t.Fatalf("item %d is found with body %q, want %q", it.Index, body, w.bodies[it.Index])
			}
			if !a.Found.Tags(i).Has(a.Tags) {
				w.t.Fatalf("item %d has tags %q", it.Index, a.Found.Tags(i))
			}
		}
		return strings.Join(ids, " ")
	case AskCount:
		return fmt.Sprint(a.Count)
	case AskAttrs:
		return attrsText(a.Attrs)
	case AskSearch:
		i := a.Search
		return fmt.Sprintf("consumer=%s pending=%v before=%d sent=%d code=%s reason=%s", i.Consumer, i.Pending,
			i.WaitCount, i.Deliveries, i.Code, i.Reason)
	}
	return "ok"
}
