package pebblestore

import (
	"errors"
	"fmt"
	"slices"

	"beanfield/storage/pebblestore/ondisk"
)

// readLogs reads the logs that count, and gathers what mark and stamps say of them.
func (w *witness) readLogs() error {
	for _, e := range w.mark.logs {
		w.claim(e)
	}
	var numbers []uint64
	for _, name := range w.names {
		if n, ok := numbered(name, "", ".log"); ok && n >= w.manifest.MinLog {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		path := w.path("%06d.log", n)
		f, size, err := w.open(path)
		if err != nil {
			return err
		}
		shape, err := ondisk.Log(f, size, n, func(r *ondisk.Record) error { return w.record(path, r) })
		if err = errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("storage: %s: %w", path, err)
		}
		w.logs = append(w.logs, logSeen{number: n, path: path, shape: shape})
	}
	return nil
}

// claim notes that a log has been synced up to a length.
func (w *witness) claim(e extent) {
	w.claims[e.number] = max(w.claims[e.number], e.length)
}

// record takes note of a record's stamp. The key is the mark's or, without a mark, that
// of the first stamp.
func (w *witness) record(path string, r *ondisk.Record) error {
	w.step.Count()
	s, stamped, tables, err := stampOf(r.Payload)
	if err != nil && !r.Broken {
		return damaged(path, "the record at byte %d cannot be read: %v", r.Start, err)
	}
	if stamped && !w.marked {
		w.marked, w.mark.key = true, s.key
	}
	if stamped && s.key == w.mark.key {
		w.claim(s.synced)
	}
	if r.Broken {
		return nil
	}
	for _, n := range tables {
		if err := w.checkTable(n, -1); err != nil {
			return err
		}
	}
	return nil
}

// checkLogs compares what is said of the logs with what they are. Logs below the
// manifest's are in tables, or were when the manifest was written.
func (w *witness) checkLogs() error {
	for i, l := range w.logs {
		if claim := w.claims[l.number]; l.shape.Good < claim {
			return damaged(l.path, "it cannot be read from byte %d on, and had been synced up to byte %d", l.shape.Good, claim)
		}
		// Before Pebble begins another log it ends the one before, and syncs it.
		if i < len(w.logs)-1 && !l.shape.Ended {
			return damaged(l.path, "it cannot be read from byte %d on, and a newer log tells that it was whole", l.shape.Good)
		}
	}
	for number, claim := range w.claims {
		there := slices.ContainsFunc(w.logs, func(l logSeen) bool { return l.number == number })
		if claim > 0 && number >= w.manifest.MinLog && !there {
			return damaged(w.path("%06d.log", number), "it is missing, and had %d bytes", claim)
		}
	}
	return nil
}
