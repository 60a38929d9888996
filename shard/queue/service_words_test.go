package queue

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"beanfield/shard/queue/policy"
)

// Words of the queue service in scripts. Who speaks is GROUP.USER, for the queue
// "default", or GROUP.USER@QUEUE:
//
//	g.a item 1024 k=v -> 1     puts an item: priority and tags
//	g.a sub 2 auto only closes index=4 k=v => g.a:1   watches: the window; what it is pushed
//	g.a leave                  its connection has gone
//	g.a sent                   its connection has sent what it got
//	g.a commit 1 2
//	g.a negative Code why 1 2
//	g.a drop                   the group is removed
//	g.a end force              the queue ends, perhaps by force; a consumer that is told so is written g.a:over
//	g.a attrs -> length=1 g.a=Running/0/2   of a consumer: status, pending, slots
//	limits delivery=2 idle=5s leaving=10s forget=30s dead=rear length=3 unsent=100 evict=1
//
// A push that is not the first of its item is written g.a:1/2. A connection that was
// replaced is written g.a:replaced; one whose group was removed, g.a:removed.

// subscriber is a consumer's connection.
type subscriber struct {
	w        *world
	name     string
	unsent   int
	spent    []*DeliveryBatch
	replaced bool
}

func (r *subscriber) Receive(p *DeliveryBatch, ok bool) {
	r.w.t.Helper()
	if !ok {
		r.w.t.Fatalf("%s receives a batch of a turn that has failed", r.name)
	}
	if r.replaced {
		return // it was on its way
	}
	r.unsent += p.Weight()
	for i, it := range p.Items {
		text := fmt.Sprintf("%s:%d", r.name, it.Index)
		if it.Delivery != 1 {
			text += fmt.Sprintf("/%d", it.Delivery)
		}
		r.w.pushed = append(r.w.pushed, text)
		body := string(p.Small(i)) + string(joined(it.Large))
		if body != r.w.bodies[it.Index] && body != "" || int(it.Size) != len(r.w.bodies[it.Index]) {
			r.w.t.Fatalf("item %d is pushed with body %q, want %q", it.Index, body, r.w.bodies[it.Index])
		}
		if got := p.Tags(i); string(got) != string(r.w.tags[it.Index]) {
			r.w.t.Fatalf("item %d is pushed with tags %q, want %q", it.Index, got, r.w.tags[it.Index])
		}
	}
	if p.Over {
		r.w.pushed = append(r.w.pushed, r.name+":over")
	}
	r.spent = append(r.spent, p)
}

func (r *subscriber) Replaced() {
	r.replaced = true
	r.w.pushed = append(r.w.pushed, r.name+":replaced")
}

func (r *subscriber) Removed() {
	r.replaced = true
	r.w.pushed = append(r.w.pushed, r.name+":removed")
}

func tagsFrom(words []string) Tags {
	pairs := map[string]string{}
	for _, w := range words {
		k, v, _ := strings.Cut(w, "=")
		pairs[k] = v
	}
	return MakeTags(pairs)
}

var consumerWords = map[string]What{
	"item": AskPut, "sub": AskWatch, "leave": AskLeave, "sent": AskSent, "commit": AskCommit,
	"negative": AskNegative, "attrs": AskAttrs, "drop": AskDropGroup, "end": AskEnd,
}

// consumer runs one word of a script that a consumer says.
func (w *world) consumer(who, verb string, args []string) string {
	w.t.Helper()
	name, tube, other := strings.Cut(who, "@")
	if !other {
		tube = "default"
	}
	group, user, _ := strings.Cut(name, ".")
	what, known := consumerWords[verb]
	if !known {
		panic("no such word: " + verb)
	}
	limits := w.limits
	a := Ask{What: what, Queue: tube, Group: group, User: user, Limits: &limits}
	op := Op{Kind: Service, Ask: &a}
	switch what {
	case AskPut:
		w.askedPut(&op, args)
	case AskWatch:
		w.askedWatch(who, &a, args)
	case AskLeave:
		a.Receiver = w.subs[who]
	case AskSent:
		a.Receiver, a.Bytes = w.subs[who], w.subs[who].unsent
		a.Spent = w.subs[who].spent
		w.subs[who].unsent, w.subs[who].spent = 0, nil
	case AskEnd:
		a.Force = len(args) > 0
	case AskNegative:
		a.Code, a.Reason, args = args[0], args[1], args[2:]
		fallthrough
	case AskCommit:
		for _, arg := range args {
			a.Indexes = append(a.Indexes, number(arg))
		}
	}
	w.service(&op)
	return w.asked(&op)
}

func (w *world) askedPut(op *Op, args []string) {
	if !w.dir.Closed {
		w.lastID++
	}
	op.Pri = uint32(number(args[0]))
	op.Ask.Tags = tagsFrom(args[1:])
	body := fmt.Sprintf("item %d", w.lastID)
	w.bodies[w.lastID], w.tags[w.lastID] = body, op.Ask.Tags
	op.Data, op.Size = []byte(body), uint32(len(body))
}

func (w *world) askedWatch(who string, a *Ask, args []string) {
	a.Window = int(number(args[0]))
	var tags []string
	for _, arg := range args[1:] {
		switch index, ok := strings.CutPrefix(arg, "index="); {
		case ok && index == "new":
			a.Index = NewestIndex
		case ok:
			a.Index = number(index)
		case arg == "auto":
			a.AutoCommit = true
		case arg == "closes":
			a.Closes = true
		case arg == "only":
			a.IndexOnly = true
		default:
			tags = append(tags, arg)
		}
	}
	if tags != nil {
		a.Tags = tagsFrom(tags)
	}
	w.subs[who] = &subscriber{w: w, name: who}
	a.Receiver = w.subs[who]
}

// service runs an operation of the queue service to its end, and ends the turns that it takes.
func (w *world) service(op *Op) {
	w.t.Helper()
	w.slices = 1
	w.s.renew()
	b := &Batch{Ops: []Op{*op}}
	for ; !w.s.Run(w.now, b); w.slices++ {
		if one := &b.Ops[0]; one.Status == Staging {
			w.log.Staged[one.ID] = string(one.Data) + string(joined(one.Parts))
			one.Staged(nil)
		}
		if w.endTurn(); w.slices > 100_000 {
			w.t.Fatalf("operation %d does not end", op.Ask.What)
		}
		if err := w.s.Check(); err != nil {
			w.t.Fatalf("in the middle of an operation: %v", err)
		}
	}
	w.endTurn()
	*op = b.Ops[0]
	if op.Status != OK && op.Ask.What == AskPut && op.Status != Refused && op.ID == 0 {
		w.lastID-- // it took no id
	}
}

func (w *world) endTurn() {
	for w.s.Tick(w.now) {
	}
	w.take()
}

// take hands over what was pushed.
func (w *world) take() {
	for _, p := range w.s.TakeDeliveries(nil) {
		p.To().Receive(p, true)
	}
}

func attrsText(x *Attrs) string {
	out := fmt.Sprintf("length=%d rear=%d first=%d last=%d ended=%t consumers=%d groups=%d",
		x.Length, x.Rear, x.First, x.Last, x.Ended, x.ConsumersTotal, x.GroupsTotal)
	for _, c := range x.Consumers {
		out += fmt.Sprintf(" %s.%s=%s/%d/%d %s.%s.index=%d", c.Group, c.User, c.Status, c.Pending, c.Slots, c.Group,
			c.User, c.Index)
	}
	for _, g := range x.Groups {
		out += fmt.Sprintf(" %s=%d/%d/%d", g.Group, g.Pending, g.Delivered, g.Consumers)
	}
	return out
}

// setLimits changes what the operations from now on say of the limits.
func (w *world) setLimits(words []string) {
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		n, _ := strconv.Atoi(value)
		switch key {
		case "delivery":
			w.limits.MaxDelivery = n
		case "length":
			w.limits.MaxLength = n
		case "evict":
			w.limits.AutoEvict = n > 0
		case "unsent":
			w.limits.MaxUnsent = n
		case "idle":
			w.limits.MaxIdle = duration(value)
		case "forget":
			w.limits.Forget = duration(value)
		case "leaving":
			w.limits.Leaving = duration(value)
		case "dead":
			w.limits.DeadLetter = policy.Fate(slices.Index([]string{"rear", "drop", "bury"}, value))
		default:
			panic("no such limit: " + key)
		}
	}
}
