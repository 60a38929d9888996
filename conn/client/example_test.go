package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"testing"
	"time"

	"beanfield/conn/client"
)

// server is where the examples' beanfield listens. It belongs to this process.
var server string

func TestMain(m *testing.M) {
	f, err := startField()
	if err != nil {
		log.Fatal(err)
	}
	server = f.addr
	code := m.Run()
	if err := f.stop(); err != nil {
		log.Fatal(err)
	}
	os.Exit(code)
}

// A producer and its worker. Usually they are two programs.
func Example() {
	ctx := context.Background()
	config := client.Config{Servers: []string{server}}

	pool, err := client.NewPool(config, 8)
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	if _, err := pool.Put(ctx, client.NewJob{Tube: "greetings", Body: []byte("world")}); err != nil {
		log.Fatal(err)
	}

	greeted := make(chan bool)
	worker := &client.Worker{
		Config:  config,
		Tubes:   []string{"greetings"},
		MaxTime: time.Minute,
		Handler: func(ctx context.Context, job *client.Job) error {
			fmt.Printf("hello %s\n", job.Body)
			greeted <- true
			return nil // the job is deleted
		},
	}
	go worker.Run(ctx)
	<-greeted
	if err := worker.Shutdown(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: hello world
}

// What a worker's handler returns decides what becomes of the job.
func ExampleWorker() {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	conn, err := client.Dial(ctx, client.Config{Servers: []string{server}})
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	for _, body := range []string{"letter", "bill", "rubbish"} {
		if _, err := conn.Put(ctx, client.NewJob{Tube: "post", Body: []byte(body)}); err != nil {
			log.Fatal(err)
		}
	}

	done := make(chan bool)
	worker := &client.Worker{
		Config: client.Config{Servers: []string{server}},
		Tubes:  []string{"post"},
		Handler: func(ctx context.Context, job *client.Job) error {
			switch string(job.Body) {
			case "bill":
				return client.RetryAfter(time.Hour, errors.New("no money"))
			case "rubbish":
				defer close(done)
				return client.Bury(errors.New("nobody wants this"))
			}
			return nil
		},
		Report: func(job *client.Job, err error) { fmt.Printf("%s: %v\n", job.Body, err) },
	}
	go worker.Run(ctx)
	<-done
	if err := worker.Shutdown(ctx); err != nil {
		log.Fatal(err)
	}
	stats, err := conn.StatsTube(ctx, "post")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stats.Number("cmd-delete"), "deleted,", stats.Number("current-jobs-delayed"), "delayed,",
		stats.Number("current-jobs-buried"), "buried")
	// Output:
	// bill: no money
	// rubbish: nobody wants this
	// 1 deleted, 1 delayed, 1 buried
}

// Handlers by tube, with something that all of them have in common, and what became of each job for metrics.
func ExampleMux() {
	ctx := context.Background()
	conn, err := client.Dial(ctx, client.Config{Servers: []string{server}})
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	for _, job := range []client.NewJob{{Tube: "resize", Body: []byte("cat.png")},
		{Tube: "upload", Body: []byte("cat.png"), Priority: 1}} {
		if _, err := conn.Put(ctx, job); err != nil {
			log.Fatal(err)
		}
	}

	var mux client.Mux
	mux.On("resize", func(ctx context.Context, job *client.Job) error { return nil })
	mux.On("upload", func(ctx context.Context, job *client.Job) error {
		return client.Bury(errors.New("no such bucket"))
	})
	mux.Use(func(next client.Handler) client.Handler {
		fmt.Println("wrapped") // once for each handler
		return func(ctx context.Context, job *client.Job) error {
			fmt.Printf("%s %s, attempt %d\n", job.Tube, job.Body, job.Reserves)
			return next(ctx, job)
		}
	})
	done := make(chan bool)
	worker := &client.Worker{
		Config:  client.Config{Servers: []string{server}},
		Tubes:   mux.Tubes(),
		Handler: mux.Handle,
		Report:  func(*client.Job, error) {},
		Done: func(o client.Outcome) { // a program would count them, and observe o.Took
			fmt.Println(o.Job.Tube, o.Fate, o.Err)
			done <- true
		},
	}
	go worker.Run(ctx)
	<-done
	<-done
	if err := worker.Shutdown(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// wrapped
	// wrapped
	// resize cat.png, attempt 1
	// resize deleted <nil>
	// upload cat.png, attempt 1
	// upload buried no such bucket
}

// Jobs that are reserved by hand.
func ExampleConn_Reserve() {
	ctx := context.Background()
	conn, err := client.Dial(ctx, client.Config{Servers: []string{server}})
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Put(ctx, client.NewJob{Tube: "urgent", Body: []byte("call back")}); err != nil {
		log.Fatal(err)
	}
	for {
		job, err := conn.Reserve(ctx, 0, "urgent", "usual")
		if errors.Is(err, client.ErrTimedOut) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s\n", job.Body)
		if err := job.Delete(ctx); err != nil {
			log.Fatal(err)
		}
	}
	// Output: call back
}

// A key keeps a second job with the same key out, and a name makes it safe to repeat a put.
func ExampleNewJob() {
	ctx := context.Background()
	pool, err := client.NewPool(client.Config{Servers: []string{server}}, 1)
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	order := client.NewJob{Tube: "orders", Body: []byte("two apples"), Key: "order 17", Once: "5f2c9a81"}
	first, err := pool.Put(ctx, order)
	if err != nil {
		log.Fatal(err)
	}
	again, err := pool.Put(ctx, order)
	fmt.Println("the same put:", again == first, err)

	order.Once = "another"
	_, err = pool.Put(ctx, order)
	var exists *client.ExistsError
	if errors.As(err, &exists) {
		fmt.Println("another put with its key:", exists.ID == first)
	}
	// Output:
	// the same put: true <nil>
	// another put with its key: true
}

// Many commands that do not wait for each other.
func ExamplePipeline() {
	ctx := context.Background()
	conn, err := client.Dial(ctx, client.Config{Servers: []string{server}})
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	var p client.Pipeline
	for _, size := range []int{1, 10, 1 << 20} {
		p.Put(client.NewJob{Tube: "sizes", Body: make([]byte, size)})
	}
	results, err := conn.Run(ctx, &p)
	if err != nil {
		log.Fatal(err) // the connection was lost: the results say which commands have an answer
	}
	for _, r := range results {
		fmt.Println(r.ID > 0, r.Err)
	}
	// Output:
	// true <nil>
	// true <nil>
	// false the job is larger than the server allows (JOB_TOO_BIG)
}

// Looking at jobs without touching them.
func ExampleConn_Jobs() {
	ctx := context.Background()
	conn, err := client.Dial(ctx, client.Config{Servers: []string{server}})
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	for _, colour := range []string{"red", "green"} {
		job := client.NewJob{Tube: "paint", Body: []byte("some " + colour), Tags: map[string]string{"colour": colour}}
		if _, err := conn.Put(ctx, job); err != nil {
			log.Fatal(err)
		}
	}
	for job, err := range conn.Jobs(ctx, client.Filter{Tube: "paint", Tags: map[string]string{"colour": "red"},
		Bodies: 100}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s, %s\n", job.Body, job.Get("state"))
	}
	// Output: some red, ready
}
