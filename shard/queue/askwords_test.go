package queue

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"beanfield/shard/queue/policy"
)

// Words of the queue service. Who speaks is GROUP.USER, for the queue "default", or GROUP.USER@QUEUE, or "q", and then
// the queue comes behind the verb:
//
//	q put tube pri=7 size=9 k=v -> 1   puts an item
//	g.a item 1024 k=v -> 1     the same: priority and tags
//	q get tube k=v -> 1 2      from=ID, from=-1 for the newest, len=N, wait=NAME, take
//	q unget tube NAME
//	q delete tube 1 2, q trunc tube 9, q end tube force, q count tube pri=7 k=v -> 0
//	q search tube 1 group=g -> consumer=g.a pending=true before=0 sent=1 code=No reason=why
//	g.a sub 2 auto only closes index=4 k=v => g.a:1   watches: the window; what it is pushed
//	g.a leave                  its connection has gone
//	g.a sent                   its connection has sent what it got
//	g.a commit 1 2
//	g.a negative Code why 1 2
//	g.a drop                   the group is removed
//	g.a attrs -> length=1 g.a=Running/0/2   of a consumer: status, pending, slots
//	limits delivery=2 idle=5s leaving=10s forget=30s dead=rear length=3 unsent=100 evict=1
//
// A push that is not the first of its item is written g.a:1/2. A connection that was
// replaced is written g.a:replaced; one whose group was removed, g.a:removed; one that is told that its queue has
// ended, g.a:over. A get that is told to try again is written NAME!.

var asks = map[string]What{
	"put": AskPut, "item": AskPut, "get": AskGet, "unget": AskUnget, "delete": AskDelete, "trunc": AskTruncate, "end": AskEnd,
	"search": AskSearch, "count": AskCount, "sub": AskWatch, "leave": AskLeave, "sent": AskSent, "commit": AskCommit,
	"negative": AskNegative, "attrs": AskAttrs, "drop": AskDropGroup,
}

// ask runs one word of the queue service, and says the answer.
func (w *world) ask(who, verb string, args []string) string {
	w.t.Helper()
	if asks[verb] == 0 {
		panic("no such word: " + verb)
	}
	b := &Batch{Ops: []Op{w.asking(who, asks[verb], args)}}
	return w.begin(&course{b: b, say: func() string { return w.asked(&b.Ops[0]) }, serve: true})
}

// asking reads what is asked.
func (w *world) asking(who string, what What, args []string) Op {
	name, tube, other := strings.Cut(who, "@")
	if !other {
		tube = "default"
	}
	limits := w.limits
	a := &Ask{What: what, Queue: tube, Limits: &limits}
	a.Group, a.User, _ = strings.Cut(name, ".")
	op := Op{Kind: Service, Ask: a}
	w.askFor(&op, args)
	switch sub := w.subs[who]; what {
	case AskPut:
		w.asksToPut(&op)
	case AskGet:
		a.Length = max(1, a.Length)
	case AskWatch:
		w.subs[who] = &subscriber{w: w, name: who}
		a.Receiver = w.subs[who]
	case AskLeave:
		a.Receiver = sub
	case AskSent:
		a.Receiver, a.Bytes, a.Spent = sub, sub.unsent, sub.spent
		sub.unsent, sub.spent = 0, nil
	}
	return op
}

// askFor reads all words that follow the verb. What is no parameter, number or flag is a tag.
func (w *world) askFor(op *Op, words []string) {
	a, tags, bare := op.Ask, []string(nil), []string(nil)
	for _, word := range words {
		k, v, pair := strings.Cut(word, "=")
		n, err := strconv.ParseUint(v, 10, 64)
		switch {
		case !pair:
			bare = append(bare, word)
		case k == "pri":
			op.Pri, a.ByPri = uint32(n), true
		case k == "size":
			op.Size = uint32(n)
		case k == "from" || k == "index":
			if a.Index = n; err != nil { // -1, or new
				a.Index = NewestIndex
			}
		case k == "id":
			op.ID = n
		case k == "len":
			a.Length = int(n)
		case k == "group":
			a.Group = v
		case k == "wait":
			a.Wait, a.Getter = true, w.caller(v)
		default:
			tags = append(tags, word)
		}
	}
	if a.Tags = tagsFrom(tags); len(tags) == 0 {
		a.Tags = nil
	}
	w.askBare(op, bare)
}

// askBare reads the words that are no pairs.
func (w *world) askBare(op *Op, words []string) {
	a := op.Ask
	a.Force, a.Take = slices.Contains(words, "force"), slices.Contains(words, "take")
	a.AutoCommit, a.Closes, a.IndexOnly = slices.Contains(words, "auto"), slices.Contains(words, "closes"),
		slices.Contains(words, "only")
	for i, word := range words {
		n, err := strconv.ParseUint(word, 10, 64)
		switch {
		case a.What == AskUnget:
			a.Getter = w.caller(word)
		case a.What == AskNegative && i == 0:
			a.Code = word
		case a.What == AskNegative && i == 1:
			a.Reason = word
		case err != nil:
		case a.What == AskPut:
			op.Pri = uint32(n)
		case a.What == AskWatch:
			a.Window = int(n)
		case a.What == AskTruncate:
			a.Index = n
		case a.What == AskSearch:
			op.ID = n
		default:
			a.Indexes = append(a.Indexes, n)
		}
	}
}

// asksToPut makes up a body.
func (w *world) asksToPut(op *Op) {
	body := fmt.Sprintf("item %d", w.dir.Last+1)
	if op.Size > 0 {
		body = strings.Repeat("b", int(op.Size))
	}
	w.expect(body)
	id := cmp.Or(op.ID, w.dir.Last+1)
	w.bodies[id], w.tags[id] = body, op.Ask.Tags
	op.Data, op.Size = []byte(body), uint32(len(body))
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
			w.comes(it.Index, int(it.Size), a.Found.Small(i), it.Large)
			if !a.Found.Tags(i).Has(a.Tags) {
				w.t.Fatalf("item %d has tags %q", it.Index, a.Found.Tags(i))
			}
		}
		if a.Cut {
			ids = append(ids, "cut")
		}
		return strings.Join(ids, " ")
	case AskCount:
		return fmt.Sprint(a.Count)
	case AskAttrs:
		return attrsText(a.Attrs)
	case AskSearch:
		return figures(a.Search)
	}
	return "ok"
}

func attrsText(x *Attrs) string {
	out := fmt.Sprintf("length=%d rear=%d first=%d last=%d ended=%t consumers=%d groups=%d",
		x.Length, x.Rear, x.First, x.Last, x.Ended, x.ConsumersTotal, x.GroupsTotal)
	for _, c := range x.Consumers {
		name := c.Group + "." + c.User
		out += fmt.Sprintf(" %s=%s/%d/%d %s.index=%d", name, c.Status, c.Pending, c.Slots, name, c.Index)
	}
	for _, g := range x.Groups {
		out += fmt.Sprintf(" %s=%d/%d/%d %s.index=%d", g.Group, g.Pending, g.Delivered, g.Consumers, g.Group, g.Index)
	}
	return out
}

// testLimits are those of all queues in tests that need none.
var testLimits = &policy.Limits{MaxDelivery: 5}

// setLimits changes what the operations from now on say of the limits.
func (w *world) setLimits(words []string) {
	l := &w.limits
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		n, _ := strconv.Atoi(value)
		number := map[string]*int{"delivery": &l.MaxDelivery, "length": &l.MaxLength, "unsent": &l.MaxUnsent}[key]
		time := map[string]*int64{"idle": &l.MaxIdle, "forget": &l.Forget, "leaving": &l.Leaving}[key]
		switch {
		case number != nil:
			*number = n
		case time != nil:
			*time = duration(value)
		case key == "evict":
			l.AutoEvict = n > 0
		case key == "dead":
			l.DeadLetter = policy.Fate(slices.Index([]string{"rear", "drop", "bury"}, value))
		default:
			panic("no such limit: " + key)
		}
	}
}
