package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"beanfield/conn/beanstalk/client"
)

// move moves jobs to another tube, which may be in another shard. Whoever has the order of both tubes is the only one
// who moves jobs of these.
func (a *actor) move() {
	from, to := tubes[a.dice.IntN(len(tubes))], tubes[a.dice.IntN(len(tubes))]
	if from == to || !a.lock(from) || !a.lock(to) {
		return
	}
	as, word := unborn, "" // as they are
	switch a.dice.IntN(4) {
	case 0:
		as, word = ready, " as=ready"
	case 1:
		as, word = buried, " as=buried"
	}
	list := a.l.moving(from, to, as, 1+a.dice.IntN(6))
	if len(list) == 0 {
		return
	}
	var ids []string
	for _, j := range list {
		ids = append(ids, strconv.FormatUint(j.id, 10))
	}
	unclear := false // which of them were moved: a job stays that somebody holds
	a.add(func(r client.Reply) {
		var moved, stayed int
		if _, err := fmt.Sscanf(r.Line, "MOVED %d %d", &moved, &stayed); r.Word != "NOT_FOUND" &&
			(err != nil || moved+stayed != len(list)) {
			a.l.failf("a move of %d jobs is answered %q", len(list), r.Line)
		}
		a.l.moves.Add(int64(moved))
		if unclear = moved > 0 && moved < len(list); unclear {
			return
		}
		for _, j := range list {
			a.l.end(j, moved > 0)
		}
	}, "move-jobs %s %s ids=%s%s", from, to, strings.Join(ids, ","), word)
	for _, j := range list {
		a.add(func(r client.Reply) {
			if unclear {
				a.l.end(j, r.Word == "OK" && r.Document().Get("tube") == to)
			}
		}, "stats-job %d", j.id)
	}
}

// moving notes that some jobs of a tube are about to be moved. At most one of them is buried then: of several that a
// crash cuts short nobody knows the order.
func (l *ledger) moving(from, to string, as state, most int) (list []*job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	interred := false
	for _, j := range l.alive {
		if len(list) == most {
			break
		}
		if j.busy || len(j.could) != 1 || j.now().tube != from || j.out || j.tag != "" &&
			strings.HasSuffix(to, ";rear") {
			continue
		}
		is := as
		if is == unborn {
			is = j.now().state
		}
		if is == buried && interred {
			continue
		}
		rank := uint64(0)
		if is == buried {
			interred = true
			rank = l.ranks.Add(1)
		}
		j.moved = true
		l.start(j, "move to "+to+" as "+as.String(), func(v version) version { return v.movedTo(to, as, rank) })
		list = append(list, j)
	}
	return list
}

// movedTo is what a job is in another tube: as it was, or else in this state.
func (v version) movedTo(tube string, as state, rank uint64) version {
	if v.tube, v.rank = tube, rank; as != unborn && as != v.state {
		v.state, v.span = as, span{}
	}
	return v
}

// change gives a job another priority, delay or TTR.
func (a *actor) change() {
	j := a.any(func(version) bool { return true })
	if j == nil {
		return
	}
	v, settled, out := a.l.look(j)
	if out { // the log has it in another state
		return
	}
	now := time.Now()
	words, pri, delay, ttr := "", uint32(a.dice.IntN(2000)), a.delay(), uint32(60+a.dice.IntN(1000))
	fields := 1 + a.dice.IntN(7)
	if fields&4 != 0 && (!settled || v.state == buried) {
		fields = 3
	}
	for i, word := range []string{fmt.Sprint(" pri=", pri), fmt.Sprint(" ttr=", ttr), fmt.Sprint(" delay=", delay)} {
		if fields&(1<<i) != 0 {
			words += word
		}
	}
	next := func(v version) version {
		if fields&1 != 0 {
			v.pri = pri
		}
		if fields&2 != 0 {
			v.ttr = ttr
		}
		if fields&4 == 0 {
			return v
		}
		v.state, v.delay = ready, delay
		return v.timed(now)
	}
	a.tell(j, next, "CHANGED 1 0", "CHANGED 0 1", "change-jobs %s ids=%d%s", v.tube, j.id, words)
}

// purgeAbove is how many jobs a purge ends at once, at least: fewer are ended one by one.
const purgeAbove = 64

// truncate ends the buried jobs of a tube: of the others nobody knows which are held.
func (a *actor) truncate() {
	t := tubes[a.dice.IntN(len(tubes))]
	if !a.lockNew(t) {
		return
	}
	list := a.l.truncating(t, a.dice.IntN(8) == 0)
	if len(list) == 0 {
		return
	}
	a.tellAll(list, "TRUNCATED", fmt.Sprintf("truncate %s state=buried", t))
}

// truncating notes that this is about to happen, if there are many, or if few will do.
func (l *ledger) truncating(tube string, few bool) []*job {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.inOrder(tube)
	if len(list) < purgeAbove && !few {
		return nil
	}
	for _, j := range list {
		l.start(j, "truncate", version.ended)
	}
	return list
}
