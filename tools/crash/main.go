package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	o := options{out: os.Stdout}
	flag.IntVar(&o.kills, "kills", 20, "how often the server is killed")
	flag.Uint64Var(&o.seed, "seed", 0, "what the clients draw from; 0 draws one")
	flag.StringVar(&o.dir, "dir", "", "where the data directory is made; it is kept (default: a temporary one, kept after a failure)")
	flag.IntVar(&o.conns, "conns", 9, "connections")
	flag.DurationVar(&o.pause, "pause", 900*time.Millisecond, "the longest time from a start to a kill")
	server := flag.String("server", "", "the server's command, to which -l, -p, -b, -shards and -config are added (default: ./cmd/beanfield, built)")
	reference := flag.Bool("reference", false, "instead, restart beanfield and Debian's beanstalkd side by side and compare them")
	flag.Parse()
	if o.seed == 0 {
		o.seed = 1 + rand.Uint64N(1e9)
	}
	if err := crash(o, *server, *reference); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func crash(o options, server string, reference bool) error {
	own := o.dir == ""
	if own {
		dir, err := os.MkdirTemp("", "crash-")
		if err != nil {
			return err
		}
		o.dir = dir
	} else if err := os.MkdirAll(o.dir, 0o755); err != nil {
		return err
	}
	o.server = strings.Fields(server)
	if len(o.server) == 0 {
		built := filepath.Join(o.dir, "beanfield")
		if out, err := exec.Command("go", "build", "-o", built, "beanfield/cmd/beanfield").CombinedOutput(); err != nil {
			return fmt.Errorf("build: %w\n%s", err, out)
		}
		o.server = []string{built}
	}
	what := run
	if reference {
		what = compare
	}
	err := what(o)
	if own && err == nil {
		return os.RemoveAll(o.dir)
	}
	if err != nil {
		err = fmt.Errorf("%w\n(the data is in %s)", err, o.dir)
	}
	return err
}
