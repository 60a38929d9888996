package main

import (
	"fmt"
	"sync"
)

// producer: what a beanstalk client puts is pushed.
func producer(x *client) {
	b := x.worker()
	defer b.close()
	early := b.put("early", 1024, 60)
	w := x.watch("3")
	defer w.cut()
	it := w.wants("from before the watch", early)
	x.equal("body and tags", fmt.Sprint(it.data, it.tags), "earlymap[]")
	job := b.stats(fmt.Sprint("stats-job ", early))
	x.equal("a pushed job", fmt.Sprint(job["state"], job["reserves"]), "reserved1")
	x.equal("delete by a worker that does not hold it", b.say(fmt.Sprint("delete ", early)), "NOT_FOUND")
	x.commit(early)
	x.equal("committed", b.say(fmt.Sprint("peek ", early)), "NOT_FOUND")
	id := b.put("with a ttr", 0, 1)
	y := x.another("u2")
	w.wants("with a ttr", id)
	other := y.watch("3")
	defer other.cut()
	other.wants("after its ttr", id)
	x.equal("timeouts", b.stats(fmt.Sprint("stats-job ", id))["timeouts"], 1)
	y.commit(id)
	x.equal("pause", b.say("pause-tube "+x.queue+" 1"), "PAUSED")
	held := x.put("held", "")
	w.quiet("while the tube is paused")
	other.quiet("while the tube is paused")
	select {
	case it = <-w.items:
	case it = <-other.items:
	}
	x.equal("after the pause", it.index, held)
	x.clear()
	tube := b.stats("stats-tube " + x.queue)
	x.equal("stats-tube", fmt.Sprint(tube["total-jobs"], tube["current-jobs-reserved"], tube["current-jobs-ready"]), "300")
}

// reserving: a worker takes what HTTP put.
func reserving(x *client) {
	low, high := x.put("low", "k=v"), x.put("high", "_priority_=1")
	b := x.worker()
	defer b.close()
	index, body := b.reserve(5)
	x.equal("the urgent one first", fmt.Sprint(index, body), fmt.Sprint(high, "high"))
	job := b.stats(fmt.Sprint("stats-job ", high))
	x.equal("priority and ttr", fmt.Sprint(job["pri"], " ", job["ttr"]), "1023 0")
	w := x.watch("5")
	defer w.cut()
	w.wants("what no worker holds", low)
	w.quiet("what a worker holds")
	x.equal("get sees it", x.get(fmt.Sprint("_auto_delete_=false&_index_=", high))[0].data, "high")
	x.equal("get does not take it", len(x.get(fmt.Sprint("requestId=none&_index_=", high))), 0)
	x.equal("touch", b.say(fmt.Sprint("touch ", high)), "TOUCHED")
	x.equal("release", b.say(fmt.Sprintf("release %d 1023 0", high)), "RELEASED")
	w.wants("released", high)
	x.negative("_code_=Shutdown", high, low)
	index, _ = b.reserve(5)
	x.equal("refused by the consumer", index, high)
	x.equal("delete", b.say(fmt.Sprint("delete ", high)), "DELETED")
	index, _ = b.reserve(5)
	x.equal("refused by the consumer", index, low)
	b.close()
	next := x.watch("5")
	defer next.cut()
	next.wants("the worker has hung up", low)
	x.clear()
}

// both: a job goes to a worker or a consumer, never to both.
func both(x *client) {
	const many = 300
	w := x.watch("4")
	defer w.cut()
	seen := make(map[uint64]string)
	var mu sync.Mutex
	var all sync.WaitGroup
	gone := make(chan bool)
	take := func(index uint64, who string) {
		mu.Lock()
		defer mu.Unlock()
		x.equal("taken before", seen[index], "")
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
	defer b.close()
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
	defer p.close()
	for i := range many / 2 {
		p.put(fmt.Sprint("b", i), 1024, 60)
		x.put(fmt.Sprint("h", i), "")
	}
	all.Wait()
	w.cut()
	x.until("status", "Complete", func() any { return x.consumer()["Status"] })
	p.put("last", 1024, 60)
	<-gone
	counts := map[string]int{}
	for _, who := range seen {
		counts[who]++
	}
	x.that("both have had some", counts["worker"] > 0 && counts["consumer"] > 0, counts)
	x.equal("each once", len(seen), many)
	x.equal("length", x.length(), 1)
}

// kicks: bury, kick and delay are a worker's, and a consumer sees what they do.
func kicks(x *client) {
	b := x.worker()
	defer b.close()
	id := x.put("item", "k=v")
	b.reserve(5)
	x.equal("bury", b.say(fmt.Sprintf("bury %d 1024", id)), "BURIED")
	w := x.watch("1")
	defer w.cut()
	w.quiet("a buried job")
	x.equal("length", x.length(), 1)
	x.equal("kick", b.say("kick 10"), "KICKED 1")
	it := w.wants("kicked", id)
	x.equal("its tags have stayed", it.tags["k"], "v")
	x.commit(id)
	_, err := fmt.Sscanf(b.say("put 0 1 60 5\r\nlater"), "INSERTED %d", &id)
	must(err)
	x.equal("a delayed item counts", x.length(), 1)
	w.quiet("a delayed job")
	w.wants("due", id)
	x.commit(id)
	x.equal("length", x.length(), 0)
}
