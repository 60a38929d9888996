package access

import (
	"hash/maphash"
	"strings"
	"sync/atomic"

	"beanfield/shard/queue"
)

// Subject is all clients for whom the same rules hold. A nil one may do everything. Any
// goroutine may use it.
type Subject struct {
	name   string
	rights tubeRights
	// remembered are answers by the hash of the tube's name; one replaces another whose
	// hash leads to the same place. Only patterns with a star need it.
	remembered atomic.Pointer[[rememberedTubes]atomic.Pointer[answer]]
}

// rememberedTubes bounds what a subject remembers (A3).
const rememberedTubes = 2048

// answer is what May has answered for a tube.
type answer struct {
	tube   string
	rights Rights
}

var tubeSeed = maphash.MakeSeed()

// May returns the rights on a tube.
func (s *Subject) May(tube string) Rights {
	if s == nil || s.rights.always == All {
		return All
	}
	if len(s.rights.patterns) == 0 {
		return s.rights.on(strings.TrimSuffix(tube, queue.RearSuffix))
	}
	all := s.remembered.Load()
	if all == nil {
		s.remembered.CompareAndSwap(nil, new([rememberedTubes]atomic.Pointer[answer]))
		all = s.remembered.Load()
	}
	place := &all[maphash.String(tubeSeed, tube)%rememberedTubes]
	if a := place.Load(); a != nil && a.tube == tube {
		return a.rights
	}
	a := &answer{strings.Clone(tube), s.rights.on(strings.TrimSuffix(tube, queue.RearSuffix))}
	place.Store(a)
	return a.rights
}

// Sees says whether the subject has any right on a tube: otherwise the tube does not exist
// for it.
func (s *Subject) Sees(tube string) bool { return s.May(tube) != 0 }

// Everywhere returns the rights on every tube.
func (s *Subject) Everywhere() Rights {
	if s == nil {
		return All
	}
	return s.rights.always
}

// Anywhere returns the rights on some tube or other, together.
func (s *Subject) Anywhere() Rights {
	if s == nil {
		return All
	}
	return s.rights.anywhere
}

// Who names the rules that hold, for logs: "" for none, or if there are no rules at all.
func (s *Subject) Who() string {
	if s == nil {
		return ""
	}
	return s.name
}
