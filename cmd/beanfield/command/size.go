package command

import (
	"encoding/json"
	"flag"
	"fmt"
	"runtime"
)

// size is the command of that name.
type size struct {
	jobs, body, tubes, connections, shards int64
	inMemory                               bool
}

func (a *size) flags(f *flag.FlagSet) {
	f.Int64Var(&a.jobs, "jobs", 1_000_000, "`number` of jobs on a bad day")
	f.Int64Var(&a.body, "body", 100, "`bytes` in each body")
	f.Int64Var(&a.tubes, "tubes", 100, "`number` of tubes")
	f.Int64Var(&a.connections, "connections", 100, "`number` of connections")
	f.Int64Var(&a.shards, "shards", 0, "`number` of shards; 0: one for each core of this machine")
	f.BoolVar(&a.inMemory, "memory", false, "jobs are kept in memory only")
}

// need is what a server needs, in bytes. The page sizing has the same formulas.
type need struct {
	Memory int64 `json:"memory"`
	Disk   int64 `json:"disk"`
}

const (
	sizeServer, sizeStore, sizeShard       = 25_000_000, 80_000_000, 2_000_000
	sizeTube, sizeConnection               = 700, 2_100
	sizeJob, sizeJobDisk, minFree, logSize = 75, 200, 256 << 20, 64 << 20
)

func (a *size) need() need {
	n := need{Memory: sizeServer + a.jobs*(sizeJob+a.body+a.body/20) + a.tubes*sizeTube + a.connections*sizeConnection}
	if !a.inMemory {
		n.Memory += sizeStore + a.shards*sizeShard
		n.Disk = 2*a.jobs*(a.body+sizeJobDisk) + minFree + logSize
	}
	return n
}

func (a *size) run(c *call) error {
	for _, n := range []int64{a.jobs, a.body, a.tubes, a.connections, a.shards} {
		if n < 0 || n > 1e9 {
			return usagef("a number is negative, or too large: %d", n)
		}
	}
	if a.shards == 0 {
		a.shards = int64(runtime.NumCPU())
	}
	n := a.need()
	if c.json {
		return json.NewEncoder(c.Stdout).Encode(n)
	}
	_, err := fmt.Fprintf(c.Stdout, "memory %10d MB\ndisk   %10d MB\n", n.Memory/1e6, n.Disk/1e6)
	return err
}
