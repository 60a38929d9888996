package queue

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"beanfield/shard/queue/policy"
	"beanfield/shard/queue/queuetest"
	"beanfield/storage"
)

// A script (testdata/scripts) is a list of steps for one State, one a line:
//
//	a put 10 0 60 -> 1        client a puts: priority, delay, TTR; the answer is the id
//	b reserve -> waiting      an answer that is not written is "ok"
//	a stats-job 1 -> pri=10   of figures, only those are compared that are written
//	a put 5 0 60 -> 2 => b:2  what waiters are given during the step, in order, * for whatever it is; +2 is the job of
//	                          a put that has waited
//	for 1..9 a delete {}      the same for each number; 9..1 for the other direction
//	begin a kick 3000 -> more the first turn of what takes several
//	turn -> more              the next one
//	finish -> 3000            all others
//	turns 12..13              so many it took
//	cost 0..1                 and so much of its share the last one
//	+1500ms => b:3            time passes, every deadline on the way is served
//	late 3s                   time passes and nothing is served
//	tick                      one turn in which what is due is served
//	config share=1 many=2     a State with little patience (world.configure), at the beginning
//	log full, packed, room    the log refuses puts, refuses updates too, or accepts
//	drain                     the directory takes no more jobs
//	may peek one two          clients may only peek, in these tubes; without words they may do all
//	policy one jobs=2         a policy covers a tube from now on, or none does
//	server jobs=2             the server has limits
//	q get tube len=2 -> 1 2   the queue service is asked, as are those that follow (askwords_test.go)
//	g.a sub 2 => g.a:1 g.a:2  a consumer of the queue "default" speaks; of another one: g.a@tube
//	see -> graves=2           what nobody is told (world.seen)
//	records -> put 1 ready    what the log was told so far
//
// A client that is first heard of uses and watches "default". Bodies are made
// up and checked wherever they turn up again. After every step the state is
// audited, waiters are compared, and Tick is shown to do nothing early.

// What clients see. This is where a rule has its example: Y1 to Y4 of keys, RW1 and RW2 of puts that wait for room,
// QT1 of a server's limits, M3 to M5 of policies, Q2 and Q7 of consumers, GR1 and GR2 of purges, L1 and L2 of the log,
// R3 of waits, S6 and S7 of searches, SK1 of schedules, TG1 to TG3 of tags, V1 to V3 of views, F3 of gets.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/scripts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		line := 0
		for i, part := range strings.Split("\n"+string(text), "\n=== ") {
			name, steps, _ := strings.Cut(part, "\n")
			if steps = strings.Repeat("\n", line) + steps; i > 0 {
				t.Run(filepath.Base(file)+"/"+name, func(t *testing.T) { newWorld(t).run(steps) })
			}
			line += strings.Count(part, "\n") + 1
		}
	}
}

// run runs a script.
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
	got := w.say(strings.Fields(command))
	if len(w.s.lines.tubes) > 0 {
		w.s.Tick(w.now) // the end of the turn
	}
	if want = strings.TrimSpace(want); !answered && !strings.HasPrefix(strings.TrimSpace(line), "for") {
		want = "ok"
	}
	if err := matches(got, want); err != nil {
		return err
	}
	w.tryAgain()
	w.feed()
	all := strings.Join(slices.Concat(w.given, w.called, w.pushed), " ")
	if given = strings.TrimSpace(given); given != "*" && all != strings.Join(strings.Fields(given), " ") {
		return fmt.Errorf("waiters are given %v, want %v", all, given)
	}
	return w.check()
}

// matches compares an answer. Of key=value answers only what is asked for.
func matches(got, want string) error {
	if !strings.Contains(got, "=") {
		if got != want && want != "*" {
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

// say runs what is said in one line, and says the answer.
func (w *world) say(words []string) string {
	w.t.Helper()
	verb, args := words[0], words[1:]
	switch verb {
	case "for":
		return w.repeat(args)
	case "begin", "turn", "finish":
		return w.inTurns(verb, args)
	case "turns":
		return within(args[0], w.turns)
	case "cost":
		return within(args[0], w.cost)
	case "settle":
		for w.s.Settle(w.now) {
		}
	case "late":
		w.now += duration(args[0])
	case "tick":
		w.s.Tick(w.now)
	case "may":
		w.rights = rightsOf(args)
	case "drain":
		w.dir.Closed = true
	case "log":
		w.log.Full = map[string]queuetest.Fullness{
			"room": queuetest.Roomy, "full": queuetest.Full, "packed": queuetest.Packed,
		}[args[0]]
	case "limits":
		w.setLimits(args)
	case "policy":
		w.policy(args[0], args[1:])
	case "policy-soon": // is taken in by the turns that follow
		w.policies = map[string]*policy.Policy{args[0]: policyOf(args[1:])}
		w.s.SetPolicies(w.policyFor)
	case "close":
		w.s.CloseLines()
	case "server":
		w.quota.most = amountIn(args)
		w.s.RoomAgain()
	case "config":
		w.configure(args)
	case "restart":
		w.replay()
	default:
		return w.shown(verb, args)
	}
	return "ok"
}

// shown says what of the State nobody is told, or changes what the log has.
func (w *world) shown(verb string, args []string) string {
	w.t.Helper()
	switch verb {
	case "empty":
		w.empty()
	case "see":
		return w.seen()
	case "records":
		return strings.Join(w.log.Records, ", ")
	case "damage":
		w.log.Jobs[number(args[0])].Damaged = true
	case "lose":
		delete(w.log.Queues, args[0])
		w.replay()
		return w.user("w").do("kick", []string{"9"})
	case "gone":
		return w.gone(args)
	case "void":
		return w.void(args[0])
	case "load", "home", "depart", "arrive", "show":
		return w.moves(verb, args)
	case "list":
		return w.listed(args)
	default:
		return w.heard(verb, args)
	}
	return "ok"
}

// heard runs what a client or a consumer says, or lets time pass.
func (w *world) heard(who string, words []string) string {
	w.t.Helper()
	switch passed, is := strings.CutPrefix(who, "+"); {
	case is:
		w.advance(duration(passed))
		return "ok"
	case who == "q":
		return w.ask("q@"+words[1], words[0], words[2:])
	case strings.Contains(who, "."):
		return w.ask(who, words[0], words[1:])
	}
	return w.user(who).do(words[0], words[1:])
}

// repeat says the same of each of some numbers. The answer is "ok" if all are as they should be.
func (w *world) repeat(args []string) string {
	from, to := span(args[0])
	step := int64(1)
	if from > to {
		step = -1
	}
	for i := from; ; i += step {
		line := strings.ReplaceAll(strings.Join(args[1:], " "), "{}", strconv.FormatInt(i, 10))
		command, want, asked := strings.Cut(line, "?")
		if got := w.say(strings.Fields(command)); asked && matches(got, strings.TrimSpace(want)) != nil {
			return fmt.Sprintf("%s: %s", command, got)
		}
		if i == to {
			return ""
		}
	}
}

// span reads FROM..TO, or one number.
func span(text string) (from, to int64) {
	a, b, both := strings.Cut(text, "..")
	if !both {
		b = a
	}
	return int64(number(a)), int64(number(b))
}

// within says whether a number is within a span: "ok" if it is.
func within(text string, n int) string {
	if from, to := span(text); n < int(from) || n > int(to) {
		return fmt.Sprint(n)
	}
	return "ok"
}

// gone says which of some jobs somebody can still see; "ok" if none.
func (w *world) gone(ids []string) string {
	for _, id := range ids {
		for _, verb := range []string{"peek", "reserve-job", "kick-job", "delete", "stats-job"} {
			if got := w.user("c").do(verb, []string{id}); got != "no" {
				return fmt.Sprintf("%s %s: %s", verb, id, got)
			}
		}
	}
	if got := w.user("c").do("delete-several", ids); got != "0" {
		return got
	}
	return "ok"
}

// seen are figures of the State that no answer has.
func (w *world) seen() string {
	s, f := w.s, w.s.Figures()
	keys, services, since, queues := 0, 0, 0, ""
	if s.extra != nil {
		keys = int(s.extra.keys.N)
	}
	for list, next := s.Census(w.now, 0, 1, nil); len(list) > 0; list, next = s.Census(w.now, next, 1, nil) {
		for _, t := range list {
			if t.Queue {
				services++
				queues += fmt.Sprintf(" %s=%d/%d/%d/%d", t.Name, t.Groups, t.Consumers, t.Pending, t.Delivered)
			}
		}
		if next == 0 {
			break
		}
	}
	for _, j := range w.log.Jobs {
		if j.Item != nil && j.Item.Since > 0 {
			since++
		}
	}
	text := fmt.Sprintf("graves=%d waits=%d jobs=%d logged=%d bodies=%d spent=%d queues=%d keys=%d tubes=%d clients=%d inside=%d "+
		"pendings=%d indexes=%d leavers=%d damaged=%d ranked=%d left=%d dead=%d trips=%d "+
		"next=%d services=%d since=%d staged=%d back=%d names=%d ready=%d outside=%d pushed=%d rebalanced=%d",
		f.Interred, s.Waits(), f.Jobs+f.Interred,
		len(w.log.Jobs), len(w.log.Bodies), len(w.log.Spent), len(w.log.Queues), keys, s.tubeAt.N, s.clients.N,
		f.Inside,
		s.pendings.Used(), s.sets(), len(w.ended)+len(s.ended), len(s.quarantined), len(s.policies.victims),
		w.dir.Left, f.Dead, len(s.travel.trips), max(0, s.Next()-w.now), services, since,
		len(w.log.Staged), len(w.dir.Gone), f.Tubes, f.Sums.Ready, f.Outside, f.Pushed, f.Rebalanced)
	for a, n := range f.Counters {
		text += fmt.Sprintf(" %v=%d", policy.Action(a), n)
	}
	return text + queues + fmt.Sprintf(" used=%d/%d/%d", w.quota.used[0], w.quota.used[1], w.quota.used[2])
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

// sets is how many tag indexes there are.
func (s *State) sets() int {
	if s.tagIndexes == nil {
		return 0
	}
	return len(s.tagIndexes.of)
}

// void says what of a tube somebody can still see; "ok" if nothing.
func (w *world) void(tube string) string {
	c := w.user("c")
	c.do("use", []string{tube})
	for verb, want := range map[string]string{"kick": "0", "peek-ready": "no", "peek-delayed": "no", "peek-buried": "no"} {
		if got := c.do(verb, []string{"9"}); got != want {
			return verb + ": " + got
		}
	}
	return c.do("use", []string{"default"})
}

// moves does a step of the way of jobs to other shards: load packs those that leave, home brings one back (with 1 if
// its tube there is full), depart and show are the other steps, and arrive makes one that comes: ID TUBE CAUSE SIZE.
func (w *world) moves(verb string, args []string) string {
	op := Op{Kind: map[string]Kind{"load": Load, "home": ComeHome, "depart": Depart, "arrive": Arrive, "show": Show}[verb], Limit: 9}
	b := &Batch{Ops: []Op{op}}
	switch {
	case verb == "arrive":
		size := number(args[3])
		w.bodies[number(args[0])] = strings.Repeat("x", int(size))
		p := Parcel{Body: [][]byte{[]byte(strings.Repeat("x", int(size)))}}
		for p.Cause.String() != args[2] {
			p.Cause++
		}
		p.Job = storage.Job{
			ID: number(args[0]), Tube: args[1], State: storage.Ready, TTR: 60, Size: uint32(size),
			Item: &storage.Item{Route: &storage.Route{Hops: 1}},
		}
		w.dir.Last = max(w.dir.Last, p.Job.ID)
		b.Parcels = []Parcel{p}
	case verb != "load":
		b.Ops[0].ID = number(args[0])
		if len(args) > 1 && args[1] == "1" {
			b.Ops[0].Why = TooLong
		}
	}
	w.s.renew()
	w.s.Run(w.now, b)
	done := &b.Ops[0]
	switch {
	case verb == "load":
		w.s.Leaves = false
		var list []string
		for _, p := range b.Parcels {
			list = append(list, fmt.Sprintf("%d:%s:%v", p.Source, p.Job.Tube, p.Cause))
		}
		return strings.Join(list, " ")
	case done.Status != OK:
		return answerOf[done.Status]
	}
	return "ok"
}
