package router

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"beanfield/shard/queue"
)

// worldOf is a world as a text tells it, with a line for each actor: its name, the tubes that it watches (1.0 is the first
// one of shard 1), and its plan.
//
//	waiter 0.0 1.0: reserve! cancel   a deed with a ! is done before the exploration begins
//	producer 0.0: put put:5           a mute one, who uses the tube
//	putter 0.0: put-wait              uses it too, and is not mute
//	remover: delete:1 delete:2        a producer for the default tube
//	second mute 0.0: reserve          mute and fleeting are as in actor
//	lapse 1.5s                        so much time passes, once
//	limit 1                           the server takes so many jobs
//	rooms 0 1                         at a leaf, from 0 to 1 puts of putters are made
//	each 1                            at a leaf, each who is not mute holds so many jobs
//
// Deeds are those of the map, and put[:pri[:ttr[:tags]]], several:most[:tags], which waits, take:most, which does not,
// delete:n of the n-th job, and pause:tube:seconds.
func worldOf(text string) func(w *world, d *bed) {
	return func(w *world, d *bed) {
		for line := range strings.Lines(strings.TrimSpace(text)) {
			head, plan, is := strings.Cut(line, ":")
			if !is {
				w.order(strings.Fields(head))
				continue
			}
			a := w.enter(strings.Fields(head))
			for _, word := range strings.Fields(plan) {
				word, before := strings.CutSuffix(word, "!")
				if a.plan = append(a.plan, d.deed(word)); before {
					a.now(1)
				}
			}
		}
	}
}

// enter adds an actor whose line begins like this.
func (w *world) enter(head []string) *actor {
	var tubes []string
	a := w.add(strings.Join(head, " "), "", nil)
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
	switch n := words[1:]; words[0] {
	case "lapse":
		by, _ := time.ParseDuration(n[0])
		w.lapse = passes(by)
	case "limit":
		w.limitTo(int64(numeral(n[0])))
	case "rooms":
		w.rooms(numeral(n[0]), numeral(n[1]))
	case "each":
		w.leaf = func() error {
			for _, a := range w.actors {
				if !a.mute && len(a.held) != numeral(n[0]) {
					return fmt.Errorf("%s holds %d jobs, want %s", a.title, len(a.held), n[0])
				}
			}
			return nil
		}
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
	"reserve": reserve, "poll": poll, "cancel": cancel, "hang-up": hangUp, "alarm": alarm, "put": put,
	"remove":   {plain, func(a *actor) { a.giveUp(queue.Delete) }},
	"release":  release,
	"put-wait": {plain, func(a *actor) { a.putAndWait() }},
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
