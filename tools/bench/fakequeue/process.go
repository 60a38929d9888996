package fakequeue

import (
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

// Process is a fake queue as a process that keeps its jobs in a directory. It can
// go wrong in the ways that a restart must notice.
func Process(args []string) int {
	f := flag.NewFlagSet("queue", flag.ContinueOnError)
	port, dir := f.Int("p", 0, ""), f.String("d", "", "")
	lose, refuse := f.Bool("lose", false, "a job is gone after the restart"), f.Bool("refuse", false, "does not start on data")
	code, hangup := f.Int("code", 0, "ends with it"), f.Bool("hangup", false, "ends after its restart, once somebody connects")
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
	q, bodies := New(), []string(nil)
	path := filepath.Join(*dir, "jobs")
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
	for _, body := range bodies {
		(&Client{q: q, tube: "default"}).put("1 0 60 0", body)
	}
	defer q.listen(l)()
	<-ended
	if *dir == "" {
		return *code
	}
	q.Mu.Lock()
	defer q.Mu.Unlock()
	bodies = bodies[:0]
	for _, j := range q.Jobs {
		bodies = append(bodies, j.body)
	}
	text, _ := json.Marshal(bodies)
	if os.WriteFile(path, text, 0o600) != nil {
		return 1
	}
	return *code
}
