package datadir

import (
	"errors"
	"io"
	"log/slog"

	"beanfield/cmd/beanfield/listing"
	"beanfield/storage"
	"beanfield/storage/pebblestore"
)

// dump prints a data directory.
func (o *Dump) dump(out io.Writer, logger *slog.Logger) (err error) {
	if err := complete(o.Dir); err != nil {
		return err
	}
	held, err := hold(o.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	l := listing.New(out, o.JSON)
	var lastID uint64
	shards, err := pebblestore.Read(pebblestore.Options{Dir: o.Dir, Logger: logger},
		func(shard int, c *pebblestore.Contents) error {
			highest, err := c.MaxID()
			if err != nil {
				return err
			}
			lastID = max(lastID, highest)
			return o.shard(l, shard, c)
		})
	if err != nil {
		return err
	}
	if err := l.Tubes(); err != nil {
		return err
	}
	return l.Line(totalLine{"total", shards, lastID, l.All}, "shards %d, highest id %d", shards, lastID)
}

// shard lists what is in one.
func (o *Dump) shard(l *listing.Listing, shard int, c *pebblestore.Contents) error {
	var purges storage.Purges
	err := c.Queues(func(q *storage.Queue) error {
		if purges.Add(q); o.Summary {
			return nil
		}
		return l.Queue(q, &shard)
	})
	if err != nil {
		return err
	}
	return c.Jobs(func(j *storage.Job, body []byte) error {
		if purges.Ended(j) {
			return nil
		}
		if l.Add(j); o.Summary {
			return nil
		}
		e := listing.Entry{Job: j, Shard: &shard}
		if o.Bodies {
			e.Body = &body
		}
		return l.Job(e)
	})
}

// totalLine ends a dump as JSON.
type totalLine struct {
	Type   string `json:"type"`
	Shards int    `json:"shards"`
	LastID uint64 `json:"last_id"`
	listing.Count
}
