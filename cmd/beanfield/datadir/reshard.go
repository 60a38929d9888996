package datadir

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"beanfield/router"
	"beanfield/storage/cluster"
	"beanfield/storage/pebblestore"
	"beanfield/storage/turns"
)

// Reshard gives the copies of a node that has been stopped another number of shards, and has the node begin the cluster
// anew with these.
type Reshard struct {
	Cluster string // its name
	Dir     string // the node's directory
	To      int    // shards
}

// What a Reshard has done.
type Resharded int

// It has moved the jobs; there was nothing to do; or it has taken back what it did before.
const (
	Moved Resharded = iota
	Unchanged
	TakenBack
)

// Run does it, and counts the jobs if it has moved them. If it is killed, it can be called again.
func (r Reshard) Run(logger *slog.Logger) (done Resharded, c pebblestore.Counts, err error) {
	m, err := nodeOf(r.Dir, r.Cluster)
	if err != nil {
		return 0, c, err
	}
	beside := pebblestore.ClusterDir(r.Dir)
	claim, err := Claim(r.Dir)
	if err != nil {
		return 0, c, err
	}
	defer func() { err = errors.Join(err, claim.Close()) }()
	pending, err := cluster.Resharded(beside, r.Cluster)
	if err != nil {
		return 0, c, err
	}
	if pending != nil {
		if r.To == m.Shards && m.Shards == pending.Shards {
			return Unchanged, c, nil
		}
		m.Shards = len(pending.From.Places)
		err := pebblestore.Return(offline(r.Dir, logger), m.Shards)
		if err == nil { // else the new shards may still count, and what they are to begin is needed
			err = r.forget(beside)
		}
		if err != nil {
			return 0, c, err
		}
		if r.To == m.Shards {
			return TakenBack, c, nil
		}
	}
	if r.To == m.Shards {
		return Unchanged, c, nil
	}
	var begins *cluster.Founding
	c, err = pebblestore.Resharding{
		Options: offline(r.Dir, logger), Shards: r.To,
		ShardOf: func(tube string) int { return router.ShardOf(tube, r.To) },
		Begins: func(copies []turns.Place) (_ []turns.Place, err error) {
			if begins, err = cluster.Reshard(beside, r.Cluster, r.To, copies); err != nil {
				return nil, err
			}
			return begins.Places(), nil
		},
		Note: func() error { return begins.Write(beside, cluster.ReshardName) },
	}.Run()
	return Moved, c, err
}

func (r Reshard) forget(beside string) error {
	return errors.Join(os.Remove(filepath.Join(beside, cluster.ReshardName)), SyncDir(beside))
}

// prepared refuses a directory in which a Reshard was cut short.
func prepared(dir, name string, shards int) error {
	pending, err := cluster.Resharded(pebblestore.ClusterDir(dir), name)
	if err == nil && pending != nil && pending.Shards != shards {
		err = fmt.Errorf("%s: beanfield cluster reshard was cut short: say -to %d again, or -to %d to take it back",
			dir,
			pending.Shards, len(pending.From.Places))
	}
	return err
}
