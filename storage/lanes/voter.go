package lanes

import "time"

// Voter is a node that answers the beats of owners. Times are those of its own clock.
type Voter struct {
	promised uint64 // it answers no older epoch
	kept     uint64 // it answers no newer epoch: a crash would take the promise
	answered time.Duration
	older    time.Duration // when it may have answered an older epoch that has not ended
	over     bool          // the epoch that it has promised has ended
	former   promise
	life     uint64 // if it is not 0, nobody knows what it promised in an earlier life
}

// promise is one that has given way to a newer one.
type promise struct {
	epoch uint64
	older time.Duration // as of the Voter at that time
}

// NewVoter is one whose clock begins at a time: when the process before it had ended, or later (K7). Promised is what
// that one had kept; it may have answered just before it ended.
func NewVoter(promised uint64, now time.Duration) *Voter {
	return &Voter{promised: promised, kept: promised, answered: now, older: now}
}

// NewBlank is a voter whose clock begins at a time, as with NewVoter, and that does not know what it had promised: it
// is new, or has lost it. It answers nobody before an owner has Shown its epoch. Life is a number, not 0, that no
// other start of a voter has.
func NewBlank(life uint64, now time.Duration) *Voter {
	v := NewVoter(0, now)
	v.life = life
	return v
}

// Blank tells a voter's life, if it does not know what it had promised. Whoever beats is told.
func (v *Voter) Blank() (life uint64, blank bool) { return v.life, v.life != 0 }

// Shown says that something of an epoch has landed which its owner began to append after it had been
// told a life (P12). If that is the life of this voter, it is blank no more, and answers no
// older epoch.
func (v *Voter) Shown(epoch, life uint64) {
	if life != 0 && life == v.life {
		v.life, v.promised = 0, epoch
	}
}

// Ended says that the owner of an epoch has ended it: answers to it are not waited for any more (P11).
func (v *Voter) Ended(epoch uint64) {
	switch {
	case epoch == 0:
	case epoch == v.promised:
		v.over = true
	case epoch == v.former.epoch:
		v.older = v.former.older
	}
}

// Beat answers an owner's beat with how long it is since an older epoch was answered that has not
// ended. It is refused if a newer one has been promised, or if the voter is blank. If keep is set, there is no
// answer yet: keep the epoch where neither a crash nor a new copy of the store takes it, then call
// Kept.
func (v *Voter) Beat(now time.Duration, epoch uint64) (since time.Duration, keep, ok bool) {
	if epoch < v.promised || v.life != 0 {
		return 0, false, false
	}
	if epoch > v.promised {
		v.former = promise{v.promised, v.older}
		if !v.over {
			v.older = max(v.older, v.answered)
		}
		v.promised, v.over = epoch, false
	}
	if epoch > v.kept {
		return 0, true, false
	}
	v.answered = now
	return now - v.older, false, true
}

// Promised is the newest epoch that it has promised, whether that is kept yet or not.
func (v *Voter) Promised() uint64 { return v.promised }

// Kept says that an epoch is kept, so that the next NewVoter is given it. Its beats are answered
// from now on.
func (v *Voter) Kept(epoch uint64) { v.kept = max(v.kept, epoch) }
