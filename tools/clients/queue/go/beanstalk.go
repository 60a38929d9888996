package main

import (
	"fmt"
	"sync"
)

// producer: what a beanstalk client puts is pushed.
func producer(x *client) {
	b := x.worker()
	early := b.put("early", 1024, 0, 60)
	w := x.watch("3")
	it := w.wants("from before the watch", early)
	x.Equal("body and tags", fmt.Sprint(it.data, it.tags), "earlymap[]")
	job := b.stats(fmt.Sprint("stats-job ", early))
	x.Equal("a pushed job", fmt.Sprint(job.Get("state"), job.Get("reserves")), "reserved1")
	x.Equal("delete by a worker that does not hold it", b.say(fmt.Sprint("delete ", early)), "NOT_FOUND")
	x.commit(early)
	x.Equal("committed", b.say(fmt.Sprint("peek ", early)), "NOT_FOUND")
	id := b.put("with a ttr", 0, 0, 1)
	y := x.another("u2")
	w.wants("with a ttr", id)
	other := y.watch("3")
	other.wants("after its ttr", id)
	x.Equal("timeouts", b.stats(fmt.Sprint("stats-job ", id)).Get("timeouts"), 1)
	y.commit(id)
	x.Equal("pause", b.say("pause-tube "+x.queue+" 1"), "PAUSED")
	held := x.put("held", "")
	w.quiet("while the tube is paused")
	other.quiet("while the tube is paused")
	select {
	case it = <-w.items:
	case it = <-other.items:
	}
	x.Equal("after the pause", it.index, held)
	x.clear()
	tube := b.stats("stats-tube " + x.queue)
	x.Equal("stats-tube", fmt.Sprint(tube.Get("total-jobs"), tube.Get("current-jobs-reserved"), tube.Get("current-jobs-ready")), "300")
}

// reserving: a worker takes what HTTP put.
func reserving(x *client) {
	low, high := x.put("low", "k=v"), x.put("high", "_priority_=1")
	b := x.worker()
	index, body := b.reserve(5)
	x.Equal("the urgent one first", fmt.Sprint(index, body), fmt.Sprint(high, "high"))
	job := b.stats(fmt.Sprint("stats-job ", high))
	x.Equal("priority and ttr", fmt.Sprint(job.Get("pri"), " ", job.Get("ttr")), "1023 0")
	w := x.watch("5")
	w.wants("what no worker holds", low)
	w.quiet("what a worker holds")
	x.Equal("get sees it", x.get(fmt.Sprint("_auto_delete_=false&_index_=", high))[0].data, "high")
	x.Equal("get does not take it", len(x.get(fmt.Sprint("requestId=none&_index_=", high))), 0)
	x.Equal("touch", b.say(fmt.Sprint("touch ", high)), "TOUCHED")
	x.Equal("release", b.say(fmt.Sprintf("release %d 1023 0", high)), "RELEASED")
	w.wants("released", high)
	x.negative("_code_=Shutdown", high, low)
	index, _ = b.reserve(5)
	x.Equal("refused by the consumer", index, high)
	x.Equal("delete", b.say(fmt.Sprint("delete ", high)), "DELETED")
	index, _ = b.reserve(5)
	x.Equal("refused by the consumer", index, low)
	b.close()
	next := x.watch("5")
	next.wants("the worker has hung up", low)
	x.clear()
}

// both: a job goes to a worker or a consumer, never to both.
func both(x *client) {
	const many = 300
	w := x.watch("4")
	seen := make(map[uint64]string)
	var mu sync.Mutex
	var all sync.WaitGroup
	gone := make(chan bool)
	take := func(index uint64, who string) {
		mu.Lock()
		defer mu.Unlock()
		x.Equal("taken before", seen[index], "")
		seen[index] = who
	}
	all.Add(many)
	go func() {
		for it := range w.items {
			take(it.index, "consumer")
			x.send("PUT", x.path()+fmt.Sprint("?_indexes_=", it.index), "").needs(200)
			all.Done()
		}
	}()
	b := x.worker()
	go func() {
		for {
			index, body := b.reserve(60)
			if body == "last" {
				close(gone)
				return
			}
			take(index, "worker")
			b.say(fmt.Sprint("delete ", index))
			all.Done()
		}
	}()
	p := x.worker()
	for i := range many / 2 {
		p.put(fmt.Sprint("b", i), 1024, 0, 60)
		x.put(fmt.Sprint("h", i), "")
	}
	all.Wait()
	w.cut()
	x.until("status", "Complete", func() any { return x.consumer()["Status"] })
	p.put("last", 1024, 0, 60)
	<-gone
	counts := map[string]int{}
	for _, who := range seen {
		counts[who]++
	}
	x.That("both have had some", counts["worker"] > 0 && counts["consumer"] > 0, counts)
	x.Equal("each once", len(seen), many)
	x.Equal("length", x.length(), 1)
}

// kicks: bury, kick and delay are a worker's, and a consumer sees what they do.
func kicks(x *client) {
	b := x.worker()
	id := x.put("item", "k=v")
	b.reserve(5)
	x.Equal("bury", b.say(fmt.Sprintf("bury %d 1024", id)), "BURIED")
	w := x.watch("1")
	w.quiet("a buried job")
	x.Equal("length", x.length(), 1)
	x.Equal("kick", b.say("kick 10"), "KICKED 1")
	it := w.wants("kicked", id)
	x.Equal("its tags have stayed", it.tags["k"], "v")
	x.commit(id)
	id = b.put("later", 0, 1, 60)
	x.Equal("a delayed item counts", x.length(), 1)
	w.quiet("a delayed job")
	w.wants("due", id)
	x.commit(id)
	x.Equal("length", x.length(), 0)
}
