package lanes

import (
	"errors"
	"testing"

	"beanfield/storage/turns"
)

// K3, P6: a node that resigns, as a candidate or as an owner, writes nothing more, and stands again
// for a newer epoch than its own.
func TestResign(t *testing.T) {
	var lane [2][][]byte
	l := New("a", turns.Place{Origin: origin})
	answer := func() {
		for all := l.Requests(); len(all) > 0; all = l.Requests() {
			for _, r := range all {
				if r.Data == nil {
					_ = l.Read(r.ID, 0, lane[r.Lane][r.Place:], false)
				} else if r.Place == uint64(len(lane[r.Lane])) {
					lane[r.Lane] = append(lane[r.Lane], r.Data)
					_ = l.Appended(r.ID, r.Place+1)
				}
			}
		}
	}
	l.Stand(1)
	l.Resign()
	if answer(); len(lane[0])+len(lane[1]) > 0 || l.Seen() != 0 {
		t.Error("a candidate that has resigned goes on:", lane)
	}
	for nonce := uint64(2); nonce < 4; nonce++ {
		l.Stand(nonce)
		if answer(); !l.Ready() || l.Epoch() != nonce-1 || l.Seen() != nonce-1 {
			t.Fatalf("it owns the shard: %v, epoch %d", l.Ready(), l.Epoch())
		}
		l.Write([]byte("turns"), false, false)
		l.Resign()
		if role, why := l.Role(); role != Follower || !errors.Is(why, ErrResigned) {
			t.Error("after it has resigned:", role, why)
		}
		if answer(); l.last.Number != 0 {
			t.Error("what an owner had not sent when it resigned was written")
		}
	}
}
