package router

import (
	"strconv"
	"strings"
	"time"

	"beanfield/shard/queue"
)

// tell adds to a world what a text tells, with a line for each actor: its name, the tubes that it watches (1.0 is the
// first one of shard 1), and its plan.
//
//	waiter 0.0 1.0: reserve! cancel   a deed with a ! is done before the exploration begins
//	producer 0.0: put put:5           a mute one, who uses the tube
//	putter 0.0: put-wait              uses it too, and is not mute
//	remover: delete:1 delete:2        a producer for the default tube
//	second mute 0.0: reserve          mute and fleeting are as in actor
//	consumer 0.0 g a: watch:1!        user a of group g, by a connection
//	connection: disconnect            another one who acts for the same connection
//	getter 0.0 x: get:0               somebody who asks for items
//	lapse 1.5s                        so much time passes, once
//	limit 1                           the server takes so many jobs
//	leaving 1s, idle 1s, deliveries 2 the limits of the queue service
//	rooms 0 1                         what holds at a leaf, as do those that follow: leaves
//
// Deeds are those of the map, and put[:pri[:ttr[:tags]]], several:most[:tags], which waits, take:most, which does not,
// delete:n of the n-th job, pause:tube:seconds, watch:window, and get:n and look:n from the n-th item on.
func (w *world) tell(text string) {
	for line := range strings.Lines(strings.TrimSpace(text)) {
		head, plan, is := strings.Cut(line, ":")
		if !is {
			w.order(strings.Fields(head))
			continue
		}
		a := w.enter(strings.Fields(head))
		for _, word := range strings.Fields(plan) {
			word, before := strings.CutSuffix(word, "!")
			if a.plan = append(a.plan, w.bed.deed(word)); before {
				a.now(1)
			}
		}
	}
}

// enter adds an actor whose line begins like this.
func (w *world) enter(head []string) *actor {
	switch head[0] {
	case "consumer":
		return w.consumer(w.bed.named(head[1]), head[2], head[3])
	case "getter":
		return w.consumer(w.bed.named(head[1]), "", head[2])
	case "connection":
		return w.actors[len(w.actors)-1].also()
	}
	var tubes []string
	a := w.add(strings.Join(head, " "))
	a.mute = head[0] == "producer" || head[0] == "remover"
	for _, word := range head[1:] {
		switch word {
		case "mute":
			a.mute = true
		case "fleeting":
			a.fleeting = true
		default:
			tubes = append(tubes, w.bed.named(word))
		}
	}
	switch head[0] {
	case "remover":
	case "producer", "putter":
		a.Use([]byte(tubes[0]))
	default:
		a.watchOnly(tubes...)
	}
	return a
}

// order follows a line that is no actor's.
func (w *world) order(words []string) {
	if check, is := leaves[words[0]]; is {
		var n [2]int
		for i, word := range words[1:] {
			n[i] = numeral(word)
		}
		w.leaf = func() error { return check(w, n[0], n[1]) }
		return
	}
	by, _ := time.ParseDuration(words[1])
	switch words[0] {
	case "lapse":
		w.lapse = passes(by)
	case "leaving":
		w.limits.Leaving = int64(by)
	case "idle":
		w.limits.MaxIdle = int64(by)
	case "deliveries":
		w.limits.MaxDelivery = numeral(words[1])
	case "limit":
		w.limitTo(int64(numeral(words[1])))
	default:
		panic("no such line: " + words[0])
	}
}

// named is the tube that texts call so.
func (d *bed) named(word string) string {
	shard, k, _ := strings.Cut(word, ".")
	return d.tube(numeral(shard), numeral(k))
}

// numeral is the number that a text has.
func numeral(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

// deeds are those that need no more than their names.
var deeds = map[string]deed{
	"reserve": reserving(0, nil, false), "poll": reserving(0, nil, true), "cancel": cancel, "alarm": alarm,
	"hang-up": {whenever, (*actor).hangUp}, "put": putting(10, 100, nil),
	"remove":   {plain, func(a *actor) { a.giveUp(queue.Delete) }},
	"release":  {plain, func(a *actor) { a.giveUp(queue.Release) }},
	"put-wait": {plain, func(a *actor) { a.putAndWait() }},
	"commit":   {whenSent, func(a *actor) { a.answerFor(queue.AskCommit) }},
	"refuse":   {whenSent, func(a *actor) { a.answerFor(queue.AskNegative) }},
	// closes the connection. What is on its way then is not read.
	"disconnect": {plain, (*actor).leave},
	"drop-group": {plain, func(a *actor) { a.ask(a.say(queue.AskDropGroup)) }},
	"give-up":    {plain, func(a *actor) { a.get.hangUp() }},
}

var tagsOf = map[string]queue.Tags{"": nil, "red": red, "large": large, "both": largeRed}

func (d *bed) deed(word string) deed {
	if a, is := deeds[word]; is {
		return a
	}
	args := append(strings.Split(word, ":"), "", "")
	switch one := args[1]; args[0] {
	case "put":
		ttr := 100
		if args[2] != "" {
			ttr = numeral(args[2])
		}
		return putting(uint32(numeral(one)), uint32(ttr), tagsOf[args[3]])
	case "several", "take":
		return reserving(numeral(one), tagsOf[args[2]], args[0] == "take")
	case "watch":
		return watch(numeral(one))
	case "get", "look":
		return getting(uint64(numeral(one)), args[0] == "get")
	case "delete":
		return deed{plain, func(a *actor) {
			a.byID(queue.Op{Kind: queue.Delete, ID: a.w.first + uint64(numeral(one))}, nil)
		}}
	case "pause":
		name := []byte(d.named(one))
		pause := queue.Op{Kind: queue.Pause, Data: name, Delay: uint32(numeral(args[2]))}
		return deed{plain, func(a *actor) { a.submit(a.r.TubeShard(name), pause, false, nil) }}
	}
	panic("no such deed: " + word)
}
