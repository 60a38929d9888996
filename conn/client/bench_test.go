package client_test

import (
	"context"
	"sync"
	"testing"

	"beanfield/conn/client"
	"beanfield/storage/must"
)

// What a call costs, with a beanfield in the same process.

func BenchmarkPut(b *testing.B) {
	c, job := dial(b, beanfield(b)), client.NewJob{Body: make([]byte, 100)}
	for b.Loop() {
		must.Get(c.Put(b.Context(), job))
	}
}

func BenchmarkPoolPut(b *testing.B) {
	p, job := newPool(b, at(beanfield(b)), 4), client.NewJob{Body: make([]byte, 100)}
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			must.Get(p.Put(b.Context(), job))
		}
	})
}

func BenchmarkPutBatch(b *testing.B) {
	c, jobs := dial(b, beanfield(b)), make([]client.NewJob, 500)
	for i := range jobs {
		jobs[i].Body = make([]byte, 100)
	}
	for n := b.N; n > 0; n -= len(jobs) {
		must.Get(c.PutBatch(b.Context(), jobs[:min(n, len(jobs))]))
	}
}

func BenchmarkPipeline(b *testing.B) {
	c := dial(b, beanfield(b))
	for n := b.N; n > 0; n -= 500 {
		var p client.Pipeline
		for range min(n, 500) {
			p.Put(client.NewJob{Body: make([]byte, 100)})
		}
		must.Get(c.Run(b.Context(), &p))
	}
}

func BenchmarkWorker(b *testing.B) {
	server := beanfield(b)
	c := dial(b, server)
	must.Get(c.PutBatch(b.Context(), make([]client.NewJob, b.N)))
	var all sync.WaitGroup
	all.Add(b.N)
	w := &client.Worker{Config: at(server), Concurrency: 4, Handler: func(context.Context, *client.Job) error {
		all.Done()
		return nil
	}}
	b.ResetTimer()
	go w.Run(b.Context())
	all.Wait()
	must.Do(b, w.Shutdown(b.Context()))
}
