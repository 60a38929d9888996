package testserver

import (
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"beanfield/conn/beanstalk/client"
)

// Process is a server as a process that keeps its jobs in a directory while it is down. It
// can go wrong in the ways that a restart must notice.
func Process(args []string) int {
	f := flag.NewFlagSet("queue", flag.ContinueOnError)
	port, dir := f.Int("p", 0, ""), f.String("d", "", "")
	lose, refuse := f.Bool("lose", false, "a job is gone after the restart"), f.Bool("refuse", false,
		"does not start on data")
	code, hangup := f.Int("code", 0, "ends with it"), f.Bool("hangup", false,
		"ends after its restart, once somebody connects")
	config, need := f.String("config", "", "a file that must not be empty"), f.Bool("need", false, "the file must be named")
	f.Int("shards", 0, "of no interest")
	f.String("l", "", "of no interest")
	f.Int("z", 0, "of no interest")
	if err := f.Parse(args); err != nil {
		return 5
	}
	if text, err := os.ReadFile(*config); (*need || *config != "") && (err != nil || len(text) == 0) {
		return 5
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", *port))
	if err != nil {
		return 111
	}
	bodies, path := []string(nil), filepath.Join(*dir, "jobs")
	if text, err := os.ReadFile(path); err == nil {
		switch {
		case *refuse:
			fmt.Println("the jobs cannot be read")
			return 10
		case *hangup:
			l.Accept()
			fmt.Println("out of luck")
			return 1
		}
		_ = json.Unmarshal(text, &bodies)
	}
	if *lose && len(bodies) > 0 {
		bodies = bodies[1:]
	}
	s, err := start()
	if err == nil {
		err = s.talk(func(c *client.Client) error { return put(c, bodies) })
	}
	if err != nil {
		return 111
	}
	go s.accept.Serve(l, s.inner)
	<-ended
	if *dir == "" {
		return *code
	}
	if err = s.talk(func(c *client.Client) error { bodies, err = take(c); return err }); err == nil {
		text, _ := json.Marshal(bodies)
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		return 1
	}
	return *code
}

func put(c *client.Client, bodies []string) error {
	p := c.Pipe(func(r client.Reply) error { return r.Want("INSERTED") })
	for _, body := range bodies {
		if err := p.Put(fmt.Sprintf("put 1 0 60 %d", len(body)), []byte(body)); err != nil {
			return err
		}
	}
	return p.Flush()
}

// take gives the bodies of all jobs that are ready.
func take(c *client.Client) (bodies []string, err error) {
	tubes, err := c.Tubes()
	if err != nil {
		return nil, err
	}
	for _, tube := range tubes {
		if _, err := c.Ask("watch " + tube); err != nil {
			return nil, err
		}
	}
	for {
		r, err := c.Ask("reserve-with-timeout 0")
		if err != nil || r.Word == "TIMED_OUT" {
			return bodies, err
		}
		bodies = append(bodies, string(r.Body))
	}
}
