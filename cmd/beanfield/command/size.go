package command

import (
	"encoding/json"
	"fmt"
	"runtime"
)

// size is the command of that name.
type size struct {
	Jobs        int  `flag:"jobs <number> of jobs on a bad day"`
	Body        int  `flag:"body <bytes> in each body"`
	Tubes       int  `flag:"tubes <number> of tubes"`
	Connections int  `flag:"connections <number> of connections"`
	Shards      int  `flag:"shards <number> of shards; 0: one for each core of this machine"`
	InMemory    bool `flag:"memory jobs are kept in memory only"`
}

// need is what a server needs, in bytes. The page sizing has the same formulas.
type need struct {
	Memory int `json:"memory"`
	Disk   int `json:"disk"`
}

const (
	sizeServer, sizeStore, sizeShard       = 25_000_000, 80_000_000, 2_000_000
	sizeTube, sizeConnection               = 700, 2_100
	sizeJob, sizeJobDisk, minFree, logSize = 75, 200, 256 << 20, 64 << 20
)

func (a *size) need() need {
	n := need{Memory: sizeServer + a.Jobs*(sizeJob+a.Body+a.Body/20) + a.Tubes*sizeTube + a.Connections*sizeConnection}
	if !a.InMemory {
		n.Memory += sizeStore + a.Shards*sizeShard
		n.Disk = 2*a.Jobs*(a.Body+sizeJobDisk) + minFree + logSize
	}
	return n
}

func (a *size) run(c *call) error {
	for _, n := range []int{a.Jobs, a.Body, a.Tubes, a.Connections, a.Shards} {
		if n < 0 || n > 1e9 {
			return usagef("a number is negative, or too large: %d", n)
		}
	}
	if a.Shards == 0 {
		a.Shards = runtime.NumCPU()
	}
	n := a.need()
	if c.json {
		return json.NewEncoder(c.Stdout).Encode(n)
	}
	_, err := fmt.Fprintf(c.Stdout, "memory %10d MB\ndisk   %10d MB\n", n.Memory/1e6, n.Disk/1e6)
	return err
}
