package main

import (
	"fmt"
	"sync"
)

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
