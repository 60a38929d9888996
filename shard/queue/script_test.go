package queue

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"beanfield/shard/queue/policy"
	"beanfield/shard/queue/queuetest"
	"beanfield/storage"
)

// A script is a list of steps for one State, one a line:
//
//	a put 10 0 60 -> 1        client a puts: priority, delay, TTR; the answer is the id
//	b reserve -> waiting      an answer that is not written is "ok"
//	a put 5 0 60 -> 2 => b:2  what waiters are given during the step, in order; +2 is the job of a put that has waited
//	+1500ms => b:3            time passes, every deadline on the way is served
//	late 3s                   time passes and nothing is served
//	tick                      what is due is served at once
//	log full, packed, room    the log refuses puts, refuses updates too, or accepts
//	drain                     the directory takes no more jobs
//	policy one jobs=2         a policy covers a tube from now on, or none does
//	server jobs=2             the server has limits
//	q get tube len=2 -> 1 2   the queue service is asked (askwords_test.go)
//
// A client that is first heard of uses and watches "default". Bodies are made
// up and checked wherever they turn up again. After every step the state is
// audited, waiters are compared, and Tick is shown to do nothing early.
type script struct{ name, steps string }

func runScripts(t *testing.T, scripts []script) {
	for _, sc := range scripts {
		t.Run(sc.name, func(t *testing.T) { newWorld(t).run(sc.steps) })
	}
}

// world is a State with its surroundings.
type world struct {
	t           queuetest.Failer
	s           *State
	dir         *queuetest.Directory
	log         *queuetest.Log
	now         int64
	lastID      uint64
	users       map[string]*user
	given       []string // "client:id" since the last step
	wakes       []string
	called      []string // gets that were called, "name!"
	getters     map[string]*caller
	ended       []*Client // whose wait another shard has ended
	deaf        bool      // the state is not told of them yet
	bodies      map[uint64]string
	pushed      []string // "consumer:id" since the last step
	tags        map[uint64]Tags
	subs        map[string]*subscriber
	limits      policy.Limits
	quota       quota // of the server
	policies    map[string]*policy.Policy
	fairs       map[string]*policy.FairScheduler
	many, share int // as in Config
	leastPurge  int // likewise, and PurgeShare
	purgeShare  int
	slices      int // how often the last operation was applied
}

const testEpoch = 1_700_000_000 * second

func newWorld(t queuetest.Failer) *world { return newManyWorld(t, 0, 0) }

// newManyWorld is one with little patience: for clients that watch more tubes
// than many, and turns that do more than share.
func newManyWorld(t queuetest.Failer, many, share int) *world {
	w := &world{
		t: t, dir: queuetest.NewDirectory(t), log: queuetest.NewLog(), now: 1,
		users: map[string]*user{}, bodies: map[uint64]string{}, tags: map[uint64]Tags{}, subs: map[string]*subscriber{},
		many: many, share: share,
	}
	w.makeState()
	return w
}

func (w *world) makeState() {
	w.ended, w.fairs = nil, map[string]*policy.FairScheduler{} // they were in the one before
	w.s = NewState(Config{
		Directory: w.dir, Log: w.log, Durable: true, Pinned: "default", Epoch: testEpoch, Ended: w.takeEnded,
		Many: w.many, Share: w.share,
		PolicyFor: w.policyFor, LeastPurge: w.leastPurge, PurgeShare: w.purgeShare,
	})
	w.quota.used, w.quota.waits = policy.Amount{}, 0 // those of the one before
	w.s.SetQuota(&w.quota)
}

func (w *world) takeEnded(list []*Client) []*Client {
	if w.deaf {
		return list
	}
	list = append(list, w.ended...)
	w.ended = w.ended[:0]
	return list
}

func (w *world) run(steps string) {
	w.t.Helper()
	for n, line := range strings.Split(steps, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := w.step(line); err != nil {
			w.t.Fatalf("line %d: %s: %v", n, strings.TrimSpace(line), err)
		}
	}
}

func (w *world) step(line string) error {
	w.given, w.wakes, w.called, w.pushed = nil, nil, nil, nil
	head, given, _ := strings.Cut(line, "=>")
	command, want, answered := strings.Cut(head, "->")
	words := strings.Fields(command)
	got := "ok"
	switch {
	case strings.HasPrefix(words[0], "+"):
		w.advance(duration(words[0][1:]))
	case words[0] == "late":
		w.now += duration(words[1])
	case words[0] == "tick":
		w.s.Tick(w.now)
	case words[0] == "q":
		got = w.ask(words[1:])
	case words[0] == "drain":
		w.dir.Closed = true
	case words[0] == "log":
		w.log.Full = map[string]queuetest.Fullness{"room": queuetest.Roomy, "full": queuetest.Full,
			"packed": queuetest.Packed}[words[1]]
	case words[0] == "limits":
		w.setLimits(words[1:])
	case words[0] == "policy":
		w.policy(words[1], words[2:])
	case words[0] == "close":
		w.s.CloseLines()
	case words[0] == "server":
		w.quota.most = amountIn(words[1:])
		w.s.RoomAgain()
	case words[0] == "restart":
		w.replay()
	case strings.Contains(words[0], "."):
		got = w.consumer(words[0], words[1], words[2:])
	default:
		got = w.user(words[0]).do(words[1], words[2:])
	}
	if len(w.s.lines.tubes) > 0 {
		w.s.Tick(w.now) // the end of the turn
	}
	if !answered {
		want = "ok"
	}
	if err := matches(got, strings.TrimSpace(want)); err != nil {
		return err
	}
	w.tryAgain()
	w.feed()
	if all := slices.Concat(w.given, w.called, w.pushed); !slices.Equal(all, strings.Fields(given)) {
		return fmt.Errorf("waiters are given %v, want %v", all, strings.Fields(given))
	}
	return w.check()
}

// matches compares an answer. Of key=value answers only what is asked for.
func matches(got, want string) error {
	if !strings.Contains(got, "=") {
		if got != want {
			return fmt.Errorf("answer is %q, want %q", got, want)
		}
		return nil
	}
	for _, pair := range strings.Fields(want) {
		if !slices.Contains(strings.Fields(got), pair) {
			return fmt.Errorf("answer is %q, which lacks %q", got, pair)
		}
	}
	return nil
}

// check audits the state and wakes the clients in Woken.
func (w *world) check() error {
	for _, waiter := range w.s.Woken {
		waiter.Waiter.Wake(true, nil)
	}
	w.s.Woken = w.s.Woken[:0]
	for _, id := range w.s.Gone {
		w.dir.JobGone(id)
	}
	w.s.Gone = w.s.Gone[:0]
	var wakes []string
	for _, g := range w.given {
		name, _, _ := strings.Cut(g, ":")
		wakes = append(wakes, name)
	}
	if !slices.Equal(w.wakes, wakes) {
		return fmt.Errorf("woken are %v, given were %v", w.wakes, w.given)
	}
	var clients []*Client
	for _, u := range w.users {
		clients = append(clients, &u.client)
	}
	for _, t := range w.s.tubes {
		clients = append(clients, t.consumers()...)
	}
	if err := audit(w.s, clients); err != nil {
		return err
	}
	return w.auditLog()
}

// advance lets time pass, stopping at every moment that Next announces and one
// nanosecond before it, when nothing may happen yet.
func (w *world) advance(d int64) {
	w.t.Helper()
	end := w.now + d
	for {
		next := w.s.Next()
		if next == 0 || next > end {
			break
		}
		if next-1 > w.now {
			before, given := w.s.totals, len(w.given)
			w.s.Tick(next - 1)
			if w.s.totals != before || w.s.Next() != next || len(w.given) != given {
				w.t.Fatalf("something happened before its time")
			}
		}
		w.now = max(w.now, next)
		for w.s.Tick(w.now) {
		}
		w.take()
		if again := w.s.Next(); again != 0 && again <= w.now {
			w.t.Fatalf("Tick at %d leaves work that is due at %d", w.now, again)
		}
	}
	w.now = end
}

func duration(text string) int64 {
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	return int64(d)
}

func number(text string) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// user is a client in a script: its side of the gate, and the words.
type user struct {
	w      *world
	name   string
	client Client
	ticket uint64
	open   bool
	puts   *string   // the body of a put that waits for room
	last   Op        // the latest operation with its answer
	alters *Altering // of the next operation
}

func (w *world) user(name string) *user {
	u := w.users[name]
	if u == nil {
		u = &user{w: w, name: name}
		u.client.Waiter = u
		w.users[name] = u
		u.apply(Op{Kind: Use, Data: []byte("default")})
		u.apply(Op{Kind: Watch, Data: []byte("default")})
	}
	return u
}

func (u *user) Arm() uint64 {
	u.ticket++
	u.open = true
	return u.ticket
}

// end lets another shard end the wait.
func (u *user) end() {
	u.open = false
	u.w.ended = append(u.w.ended, &u.client)
}

func (u *user) Waits(ticket uint64) bool { return u.open && u.ticket == ticket }

func (u *user) Claim(ticket uint64) bool {
	if !u.open || u.ticket != ticket {
		return false
	}
	u.open = false
	return true
}

func (u *user) Deliver(d Delivery) {
	u.w.t.Helper()
	if u.puts != nil {
		u.madeRoom(d)
		return
	}
	u.w.given = append(u.w.given, fmt.Sprintf("%s:%d", u.name, d.ID))
	body := string(d.Small) + string(joined(d.Large))
	if body != u.w.bodies[d.ID] || int(d.Size) != len(body) {
		u.w.t.Fatalf("job %d is delivered with body %q, size %d, want %q", d.ID, body, d.Size, u.w.bodies[d.ID])
	}
	if d.About != nil {
		u.w.told(d.ID, d.About)
	}
	if d.Deadline != u.client.soonest() {
		u.w.t.Fatalf("job %d is delivered with deadline %d, first is %d", d.ID, d.Deadline, u.client.soonest())
	}
}

func (u *user) Wake(bool, []byte) { u.w.wakes = append(u.w.wakes, u.name) }

// apply runs one operation to its end and returns the answer.
func (u *user) apply(op Op) (Op, *Batch) {
	u.w.t.Helper()
	b := &Batch{Client: &u.client, Ops: []Op{op}, FairScheduler: u.w.fairOf(&u.client, op.Options), Alter: u.alters}
	u.w.slices = 1
	u.w.s.renew() // each is a turn of its own
	for u.w.s.Apply(u.w.now, b, &b.Ops[0]); ; u.w.slices++ {
		switch b.Ops[0].Status {
		case Staging:
			u.w.log.Staged[b.Ops[0].ID] = string(b.Ops[0].Data) + string(joined(b.Ops[0].Parts))
			b.Ops[0].Staged(nil)
			fallthrough
		case More:
			u.w.s.Tick(u.w.now)
			u.w.s.Apply(u.w.now, b, &b.Ops[0])
			continue
		}
		break
	}
	if b.Soonest != u.client.soonest() {
		u.w.t.Fatalf("the batch says that the first deadline is %d, it is %d", b.Soonest, u.client.soonest())
	}
	u.last = b.Ops[0]
	return b.Ops[0], b
}

func joined(parts [][]byte) (whole []byte) {
	for _, p := range parts {
		whole = append(whole, p...)
	}
	return whole
}

// replay makes a State of what the log holds, in place of the one there was.
func (w *world) replay() {
	last := w.dir.Last
	w.dir = queuetest.NewDirectory(w.t)
	w.dir.Last = max(w.lastID, last)
	w.makeState()
	w.users, w.subs = map[string]*user{}, map[string]*subscriber{}
	err := w.log.ReplayQueues(func(q *storage.Queue) error {
		w.s.RestoreQueue(q)
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	err = w.log.Replay(func(j *storage.Job, body []byte) error {
		w.s.Restore(w.now, j, body)
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.s.Restored()
}
