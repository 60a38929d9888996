package pebblestore

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"beanfield/storage"
)

// scanOf is a scan that gives jobs up to an id, and uses its memory again for each, as an
// iterator does. It notes the last job that it gave without an error.
func scanOf(last uint64, given *uint64, bodyOf func(id uint64) []byte) func(r *relay) error {
	return func(r *relay) error {
		var memory []byte
		for id := uint64(1); id <= last; id++ {
			memory = append(memory[:0], bodyOf(id)...)
			n := len(memory)
			memory = fmt.Appendf(memory, "tags%dnote%d", id, id)
			texts := memory[n:]
			half := len(texts) / 2
			j := storage.Job{ID: id, Size: uint32(n)}
			if id%3 == 0 {
				j.Item = &storage.Item{Tags: texts[:half], Note: texts[half:]}
			}
			if err := r.give(&j, memory[:n:n], false); err != nil {
				return err
			}
			*given = id
			clear(memory)
		}
		return nil
	}
}

func bodyOf(id uint64) []byte { return []byte(strings.Repeat(fmt.Sprint(id, "."), int(id%50))) }

// Every job arrives once, in order, with its own body and texts.
func TestRelayed(t *testing.T) {
	sizes := map[string]func(id uint64) []byte{
		"small": bodyOf,
		"none":  func(uint64) []byte { return nil },
		"large": func(id uint64) []byte { return make([]byte, loadBytes/3*int(id%5)) },
	}
	for name, of := range sizes {
		for _, last := range []uint64{0, 1, loadJobs - 1, loadJobs, loadJobs + 1, 3*loadJobs + 7} {
			if name == "large" {
				last %= 100
			}
			got, given := uint64(0), uint64(0)
			err := relayed(scanOf(last, &given, of), func(j *storage.Job, body []byte) error {
				got++
				if j.ID != got || string(body) != string(of(got)) {
					t.Fatalf("%s: job %d with %d bytes came as number %d", name, j.ID, len(body), got)
				}
				if texts := fmt.Sprintf("tags%dnote%d", got, got); j.Item != nil &&
					string(j.Item.Tags)+string(j.Item.Note) != texts {
					t.Fatalf("job %d has the texts %q and %q", got, j.Item.Tags, j.Item.Note)
				}
				return nil
			})
			if err != nil || got != last || given != last {
				t.Fatalf("%s: %d of %d jobs, %v", name, got, last, err)
			}
		}
	}
}

// A body that is memory of its own is passed on as it is, and one at a time: the scan goes
// on when it has been used.
func TestRelayedOwnBodies(t *testing.T) {
	used := 0
	err := relayed(func(r *relay) error {
		for id := uint64(1); id <= 20; id++ {
			own := id%4 == 0
			if err := r.give(&storage.Job{ID: id}, bodyOf(id), own); err != nil {
				return err
			}
			if own && used != int(id) { // the race detector sees whether both may be at work
				t.Errorf("the scan is at job %d, and %d were used", id, used)
			}
		}
		return nil
	}, func(j *storage.Job, body []byte) error {
		used++
		if j.ID != uint64(used) || string(body) != string(bodyOf(j.ID)) {
			t.Errorf("job %d came as number %d, with body %q", j.ID, used, body)
		}
		return nil
	})
	if err != nil || used != 20 {
		t.Fatalf("%d jobs, %v", used, err)
	}
}

// After an error of the receiver it gets no more jobs, the scan ends soon, and that error
// counts, even if the scan has met another one by then.
func TestRelayedRefusal(t *testing.T) {
	refused, broken := errors.New("refused"), errors.New("broken")
	for _, at := range []uint64{1, loadJobs, loadJobs + 1, 5*loadJobs + 3} {
		for _, end := range []uint64{at, 100 * loadJobs} {
			got, given := uint64(0), uint64(0)
			err := relayed(func(r *relay) error {
				if err := scanOf(end, &given, bodyOf)(r); err != nil {
					return err
				}
				return broken
			}, func(j *storage.Job, _ []byte) error {
				if got++; j.ID == at {
					return refused
				}
				return nil
			})
			if err != refused || got != at || given > at+3*loadJobs {
				t.Errorf("job %d of %d refused: %v after %d, the scan went on to %d", at, end, err, got, given)
			}
		}
	}
}

// An error of the scan comes after all jobs before it.
func TestRelayedBrokenScan(t *testing.T) {
	broken := errors.New("broken")
	for _, last := range []uint64{0, 1, loadJobs, 2*loadJobs + 1} {
		got, given := uint64(0), uint64(0)
		err := relayed(func(r *relay) error {
			return errors.Join(scanOf(last, &given, bodyOf)(r), broken)
		}, func(*storage.Job, []byte) error { got++; return nil })
		if !errors.Is(err, broken) || got != last {
			t.Errorf("%d of %d jobs before the error, %v", got, last, err)
		}
	}
}

// A scan that panics, as Pebble does on some damage, panics where the jobs are taken.
func TestRelayedPanic(t *testing.T) {
	got := 0
	defer func() {
		if p := recover(); p != "damage" {
			t.Errorf("%v, after %d jobs", p, got)
		}
	}()
	err := relayed(func(r *relay) error {
		if err := r.give(&storage.Job{ID: 1}, nil, false); err != nil {
			return err
		}
		panic("damage")
	}, func(*storage.Job, []byte) error { got++; return nil })
	t.Error("it returned", err)
}
