package queue

import (
	"fmt"
	"slices"
	"strings"

	"beanfield/shard/queue/naive"
)

// verbs are what clients say in scripts, with what follows each. What is not said at the end is 0.
var verbs = map[string]struct {
	kind Kind
	args string
}{
	"put": {Put, "pri delay ttr body"}, "put-as": {Put, "id pri delay ttr body"}, "put-with": {Put, "options"}, "put-all": {PutAll, "puts"},
	"reserve": {Reserve, ""}, "poll": {Reserve, "poll"}, "claim": {Claim, ""}, "offer": {Offer, ""}, "wait": {Wait, "arm"},
	"withdraw": {Withdraw, ""}, "reserve-job": {ReserveJob, "id"}, "delete": {Delete, "id"},
	"release": {Release, "id pri delay"}, "bury": {Bury, "id pri"}, "touch": {Touch, "id"}, "peek": {Peek, "id"},
	"peek-ready": {PeekReady, ""}, "peek-delayed": {PeekDelayed, ""}, "peek-buried": {PeekBuried, ""},
	"kick": {Kick, "limit"}, "kick-job": {KickJob, "id"}, "quarantine": {Quarantine, "id"},
	"stats-job": {StatsJob, "id"}, "stats-tube": {StatsTube, "tube"}, "totals": {Totals, ""}, "soonest": {Soonest, ""},
	"pause": {Pause, "tube delay"}, "truncate": {Truncate, "tube states"},
	"use": {Use, "tube"}, "unuse": {Unuse, ""}, "watch": {Watch, "tube"}, "ignore": {Ignore, "tube"}, "detach": {Detach, ""},
	"reserve-tags": {Reserve, "tags"}, "poll-tags": {Reserve, "poll tags"},
	"reserve-several": {ReserveSeveral, "limit poll"}, "take-tags": {ReserveSeveral, "poll limit tags"}, "offer-several": {OfferSeveral, "limit"},
	"claim-several":  {ClaimSeveral, "limit worst"},
	"delete-several": {DeleteSeveral, "ids"}, "release-several": {ReleaseSeveral, "pri delay ids"},
	"release-several-for": {ReleaseSeveral, "pri lasting ids"},
	"bury-several":        {BurySeveral, "pri ids"}, "touch-several": {TouchSeveral, "for ids"},
	"move": {AlterSeveral, "move ids"}, "change": {AlterSeveral, "change ids"},
	"put-tick": {PutTick, "tick body"}, "note-tick": {NoteTick, "tick"}, "forget-tick": {NoteTick, "tick"},
}

// parse reads what a client says.
func (u *user) parse(verb string, args []string) Op {
	v, known := verbs[verb]
	if !known {
		panic("no such word: " + verb)
	}
	op := Op{Kind: v.kind, Poll: verb == "poll"}
	if n := len(args) - 1; n >= 0 && strings.Contains(args[n], "..") { // a span of ids
		args = append(args[:n:n], idsIn(args[n])...)
	}
	for _, name := range strings.Fields(v.args) {
		args = u.argument(&op, name, args)
	}
	if op.Options != nil && op.Options.Tick != nil {
		op.Options.Tick.Forget = verb == "forget-tick"
	}
	return op
}

// idsIn lists the numbers of a span.
func idsIn(text string) (ids []string) {
	for from, to := span(text); from <= to; from++ {
		ids = append(ids, fmt.Sprint(from))
	}
	return ids
}

// argument reads one of what is said, and returns the rest.
func (u *user) argument(op *Op, name string, args []string) []string {
	switch name {
	case "poll":
		op.Poll = true
		return args
	case "arm":
		u.Arm()
		return args
	case "body":
		body := fmt.Sprintf("body of %d", u.w.dir.Last+1)
		if len(args) > 0 {
			body = strings.Repeat("x", int(number(args[0])))
		}
		op.Take([]byte(body))
		return nil
	case "ids":
		op.Several = new(Several)
		for _, id := range args {
			op.Several.IDs = append(op.Several.IDs, number(id))
		}
		return nil
	case "states":
		op.States = statesIn(args)
		return nil
	case "tags":
		op.Options = &Options{Tags: tagsFrom(args)}
		return nil
	}
	return u.figure(op, name, args)
}

// figure reads what is more than a word or a list.
func (u *user) figure(op *Op, name string, args []string) []string {
	switch name {
	case "options":
		*op = putSaying(fmt.Sprintf("body %d", len(u.w.bodies)), args)
		return nil
	case "worst":
		op.Several = &Several{Pri: uint32(number(args[0])), ID: number(args[1]), Room: uint32(number(args[2]))}
		return args[3:]
	case "move":
		u.alters = &Altering{Filter: Filter{Tube: args[0]}, To: args[1]}
		return u.alters.as(args[2:])
	case "change":
		u.alters = &Altering{Filter: Filter{Tube: u.client.used.name}}
		u.alters.change(args[0])
		return args[1:]
	case "lasting":
		op.Options = &Options{Delay: duration(args[0])}
		op.Delay = wholeSeconds(op.Options.Delay)
		return args[1:]
	case "for":
		if args[0] != "0" {
			op.Options = &Options{TTR: duration(args[0])}
		}
		return args[1:]
	case "tube":
		op.Data = []byte(args[0])
		return args[1:]
	case "tick":
		op.Tube, op.TTR = args[0], 5
		op.Options = &Options{TTR: 5 * second, Tick: &Tick{Schedule: args[1], At: int64(number(args[2])), Rule: 7}}
		return args[3:]
	}
	if len(args) == 0 {
		return nil
	}
	n := number(args[0])
	switch name {
	case "id":
		op.ID = n
	case "size":
		op.Size = uint32(n)
	default:
		*map[string]*uint32{"pri": &op.Pri, "delay": &op.Delay, "ttr": &op.TTR, "limit": &op.Limit}[name] = uint32(n)
	}
	return args[1:]
}

// as reads what moved jobs become, if that is said.
func (a *Altering) as(args []string) []string {
	for _, as := range []JobState{Ready, Buried} {
		if len(args) > 0 && args[0] == as.String() {
			a.As = as
			return args[1:]
		}
	}
	return args
}

// change reads "pri=N,ttr=TIME,delay=TIME".
func (a *Altering) change(text string) {
	for pair := range strings.SplitSeq(text, ",") {
		switch name, value, _ := strings.Cut(pair, "="); name {
		case "pri":
			a.Set, a.Pri = a.Set|FieldPri, uint32(number(value))
		case "delay":
			a.Set, a.Delay = a.Set|FieldDelay, duration(value)
		case "ttr":
			a.Set, a.TTR = a.Set|FieldTTR, duration(value)
		}
	}
}

// statesIn are the states that a truncate names.
func statesIn(words []string) (of States) {
	for _, word := range words {
		of = of.With(stateOf[naive.State(word)])
	}
	return of
}

// do runs what a client says, and says the answer.
func (u *user) do(verb string, args []string) string {
	u.w.t.Helper()
	switch verb {
	case "put-all":
		return u.putTogether(args)
	case "ended": // its wait, in another shard
		u.end()
		return "ok"
	case "over": // likewise, but its shard does not hear of it
		u.open = false
		return "ok"
	case "forgets": // its put, whose turn has failed
		u.puts = nil
		return "ok"
	}
	op := u.parse(verb, args)
	body := string(op.Data) + string(joined(op.Parts))
	if op.Kind == Put || op.Kind == PutTick {
		u.w.expect(body)
		if op.ID != 0 {
			u.w.bodies[op.ID] = body
		}
	}
	b := u.batch(op)
	return u.w.begin(&course{b: b, say: func() string {
		u.ends(b)
		if op.Kind == Put && u.last.Status == Waiting {
			u.puts = &body
		}
		return u.answer(&u.last, b)
	}})
}

// expect says what body the next jobs have: which id a put gets is known later, and its job may be given away at once.
func (w *world) expect(body string) {
	for id := w.dir.Last + 1; id < w.dir.Last+4; id++ {
		w.bodies[id] = body
		delete(w.tags, id)
	}
}

var answerOf = map[Status]string{
	NotFound: "no", TimedOut: "timeout", DeadlineSoon: "soon", Waiting: "waiting", Empty: "empty", NoRoom: "noroom",
	Refused: "refused", Failed: "failed", TooLong: "toolong", Ended: "ended", Denied: "denied",
}

func (u *user) answer(op *Op, b *Batch) string {
	u.w.t.Helper()
	switch {
	case op.Status == Exists:
		return fmt.Sprint("exists ", op.ID)
	case op.Status != OK:
		return answerOf[op.Status]
	}
	switch op.Kind {
	case Put, PutTick:
		return fmt.Sprint(op.ID)
	case Reserve, ReserveJob, Claim, Peek, PeekReady, PeekDelayed, PeekBuried:
		u.w.comes(op.ID, int(op.Size), b.Small(op), op.Parts)
		return fmt.Sprint(op.ID)
	case Offer:
		return fmt.Sprint(op.ID)
	case ReserveSeveral, OfferSeveral, ClaimSeveral:
		return strings.Join(takenIn(op, b), " ")
	case Kick, Truncate, DeleteSeveral, ReleaseSeveral, BurySeveral, TouchSeveral, AlterSeveral:
		if several := op.Several; several != nil && several.Refused > 0 {
			return fmt.Sprintf("%d refused=%d", op.Count, several.Refused)
		}
		return fmt.Sprint(op.Count)
	case StatsJob:
		return figures(b.Jobs[op.From])
	case StatsTube:
		return figures(b.Tubes[op.From])
	case Totals:
		return figures(b.Sums)
	}
	return "ok"
}

// takenIn are the jobs that an answer lists.
func takenIn(op *Op, b *Batch) (ids []string) {
	for _, k := range b.TakenBy(op) {
		ids = append(ids, fmt.Sprint(k.ID))
	}
	return ids
}

// figures are those of a struct, as name=value.
func figures(of any) string {
	text := strings.ToLower(strings.Trim(fmt.Sprintf("%+v", of), "{}"))
	return strings.NewReplacer("counters:{", "", ":", "=", "timeleft", "left", "pauseleft", "left").Replace(text)
}

// tagsFrom are tags written as k=v.
func tagsFrom(words []string) Tags {
	pairs := map[string]string{}
	for _, w := range words {
		k, v, _ := strings.Cut(w, "=")
		pairs[k] = v
	}
	return MakeTags(pairs)
}

// wordsOf is the reverse of tagsFrom.
func wordsOf(tags Tags) (words []string) {
	for k, v := range tags.All() {
		words = append(words, strings.Join([]string{string(k), string(v)}, "="))
	}
	slices.Sort(words)
	return words
}
