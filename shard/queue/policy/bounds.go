package policy

// JobMemory is what limits count as the memory of a job beside its body. One that was only put and reserved takes 75
// bytes (cmd/beanfield/manual/sizing.md has the measurement), others take more.
const JobMemory = 100

// Bound is one of the things that can be bounded.
type Bound uint8

// The bounds.
const (
	BoundJobs   Bound = iota
	BoundBytes        // of bodies, wherever they are
	BoundMemory       // bodies that are in memory, and JobMemory for each job
	Bounds            // how many there are
)

func (b Bound) String() string { return [...]string{"jobs", "bytes", "memory"}[b] }

// Amount is so much of what each bound is about; as a limit, 0 is none.
type Amount [Bounds]int64

// AmountOf is that of some jobs. inside are those bytes of their bodies that are in memory.
func AmountOf(jobs int, bytes, inside int64) Amount {
	return Amount{int64(jobs), bytes, inside + JobMemory*int64(jobs)}
}

// AmountOfJob is that of one job, whose body may be away from memory.
func AmountOfJob(size uint32, away bool) Amount {
	inside := int64(size)
	if away {
		inside = 0
	}
	return AmountOf(1, int64(size), inside)
}

// Neg is the amount with the opposite sign: what is to be taken away.
func (a Amount) Neg() Amount {
	for b := range a {
		a[b] = -a[b]
	}
	return a
}

// ExceededBy says that so much is more than a limit allows.
func (a Amount) ExceededBy(n Amount) bool {
	for b, most := range a {
		if most > 0 && n[b] > most {
			return true
		}
	}
	return false
}

// Quota knows what the jobs of all shards are together, and what they may be. All shards call it, so
// it is not a part of any of them.
type Quota interface {
	// Fits says whether a put has a chance: what is refused now need not be begun.
	Fits(Amount) bool
	// Claim counts a put if there is room for it.
	Claim(Amount) bool
	// Refuse is told of a put that was refused.
	Refuse(Amount)
	// Wait is told that so many more puts wait for room: their shards must hear of it when there is some (RoomAgain).
	Wait(more int)
	// Add counts what comes without having been asked for, and what goes, which is less than nothing.
	Add(Amount)
}
