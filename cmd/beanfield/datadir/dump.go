package datadir

import (
	"errors"
	"io"
	"log/slog"

	"beanfield/cmd/beanfield/listing"
	"beanfield/storage"
)

// dump prints a data directory.
func (o *Dump) dump(out io.Writer, logger *slog.Logger) (err error) {
	store, logs, err := open(o.Dir, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	l := listing.New(out, o.JSON)
	var lastID uint64
	for shard, log := range logs {
		lastID = max(lastID, log.MaxID())
		err := log.ReplayQueues(func(q *storage.Queue) error {
			if o.Summary {
				return nil
			}
			return l.Queue(q, &shard)
		})
		if err != nil {
			return err
		}
		err = log.Replay(func(j *storage.Job, body []byte) error {
			l.Add(j)
			if o.Summary {
				return nil
			}
			e := listing.Entry{Job: j, Shard: &shard}
			if o.Bodies {
				e.Body = &body
			}
			return l.Job(e)
		})
		if err != nil {
			return err
		}
	}
	if err := l.Tubes(); err != nil {
		return err
	}
	return l.Line(totalLine{"total", len(logs), lastID, l.All}, "shards %d, highest id %d", len(logs), lastID)
}

// totalLine ends a dump as JSON.
type totalLine struct {
	Type   string `json:"type"`
	Shards int    `json:"shards"`
	LastID uint64 `json:"last_id"`
	listing.Count
}
