package router

import (
	"bytes"
	"slices"

	"beanfield/router/mover"
	"beanfield/shard/queue"
)

// A list of jobs goes through the shards one after the other, and through each in pages
// (queue.Listing). After each page others have their turn. What the shard has not looked at, large
// bodies and those that had to be read, is searched here, by the owner of the session, in pieces.
//
// A list ends when it has enough, and when it has cost as much as one call may, however little it
// has found by then. A place says where to go on.

// Place is where a list goes on: a shard and a record there. The zero Place is the beginning.
type Place struct {
	Shard int
	Slot  uint32
}

// Listing is a list of jobs that is made.
type Listing struct {
	queue.Filter
	Authorizer queue.Authorizer // nil for a client that may see all
	From       Place
	Most       int             // jobs
	Bodies     int             // bytes of each body to be shown
	For        any             // the caller's
	Alter      *queue.Altering // what is done to the jobs, of Tube, instead of showing them; nil for nothing

	// Answers.
	Status  queue.Status // OK, NotFound, Denied or Failed
	Jobs    []queue.Listed
	Next    Place // where to go on; the zero Place if that was all
	Looked  int   // at so many jobs
	Altered Altered

	page   queue.Listing
	at     int // the job of the page that is looked at
	finder finder
	cost   int
	volume int

	trip  *mover.Trip
	away  int64 // jobs that have left for another shard
	tried int   // how many have been altered, or not
	named bool  // by their ids
}

// Bounds of a call, in the units of a shard's share (queue.Slice). Together a call takes some 20 ms.
const (
	listCost  = 80 * 16 * queue.Slice
	pageCost  = 256       // at least, however little there is on a page
	listBytes = 256 << 10 // of bodies and tags in an answer; one job more may exceed it
)

// OwnerOf is the Owner of the session that holds a job, or the Receiver of the consumer that does; nil if
// nobody does. holder is queue.Listed.Holder.
func OwnerOf(holder any) any {
	if f, ok := holder.(*ref); ok {
		return f.s.owner
	}
	return holder
}

// List makes a list. It reads its Filter until it is complete.
func (s *Session) List(l *Listing) bool {
	s.Listing = l
	l.page.Filter, l.page.Bodies = l.Filter, l.Bodies
	l.Next = l.From
	if l.Tube != "" {
		l.Next.Shard = s.r.TubeShard([]byte(l.Tube))
	}
	if l.Next.Shard >= len(s.r.shards) {
		l.Next = Place{}
		return s.endTrip()
	}
	return s.listOn()
}

// listOn asks for a page.
func (s *Session) listOn() bool {
	l := s.Listing
	l.page.From, l.page.Most = l.Next.Slot, l.Most-l.tried-len(l.Jobs)
	s.script.begin()
	s.script.authorizer, s.script.list = l.Authorizer, &l.page
	s.script.add(l.Next.Shard, queue.Op{Kind: queue.List})
	return s.play((*Session).listed)
}

// listed has a page.
func (s *Session) listed() bool {
	l := s.Listing
	s.script.list = nil
	if l.Status = s.script.steps[0].op.Status; l.Status != queue.OK {
		// its last job has gone since the last call
		if l.Status == queue.NotFound && (l.From != (Place{}) || l.tried > 0) {
			l.Status = queue.OK
		}
		l.Next = Place{}
		return s.endTrip()
	}
	l.Looked += l.page.Looked
	l.cost += max(pageCost, l.page.Cost)
	switch {
	case l.page.Next != 0:
		l.Next.Slot = l.page.Next
	case l.Tube == "" && l.Next.Shard+1 < len(s.r.shards):
		l.Next = Place{Shard: l.Next.Shard + 1}
	default:
		l.Next = Place{}
	}
	l.at = 0
	return s.sift()
}

// sift searches what is still to be searched.
func (s *Session) sift() bool {
	l := s.Listing
	for room := listBytes; l.at < len(l.page.Jobs); {
		k := &l.page.Jobs[l.at]
		found := k.Searched
		if !found && !k.Away { // the body of one that is away cannot be read: nothing is found in it
			var searched int
			var done bool
			found, searched, done = l.finder.find(k.Large, l.Body, room)
			room -= searched
			if l.cost += searched / bytesPerLook; !done {
				return s.rest((*Session).sift)
			}
			l.finder = finder{}
		}
		if found {
			l.take(k)
		}
		l.at++
	}
	clear(l.page.Jobs)
	l.page.Jobs = l.page.Jobs[:0]
	if l.Alter != nil && len(l.Jobs) > 0 {
		return s.alterPage()
	}
	if l.ends() {
		return s.endTrip()
	}
	return s.rest((*Session).listOn)
}

// ends says that the list has what the call may bring, or all.
func (l *Listing) ends() bool {
	return l.Next == (Place{}) || l.tried+len(l.Jobs) >= l.Most || l.volume >= listBytes || l.cost >= listCost
}

// take takes a job into the list, with a copy of what is shown of a large body.
func (l *Listing) take(k *queue.Listed) {
	for _, p := range k.Large {
		k.Body = append(k.Body, p[:min(len(p), l.Bodies-len(k.Body))]...)
	}
	k.Large = nil
	l.volume += len(k.Body) + len(k.Tags)
	l.Jobs = append(l.Jobs, *k)
}

// bytesPerLook is how many bytes are searched in the time of looking at a record.
const bytesPerLook = 128

// finder looks for a text in a body in parts, some of it at a time.
type finder struct {
	part, at int
	carried  []byte // the end of what has been searched: one byte less than the text, or all
}

// pieceMost is how much is searched at once.
const pieceMost = 64 << 10

// find searches about so many bytes more. done says that there is nothing more to search, or that the
// text has been found.
func (f *finder) find(body [][]byte, text []byte, most int) (found bool, searched int, done bool) {
	for f.part < len(body) {
		if searched >= most {
			return false, searched, false
		}
		piece := body[f.part][f.at:]
		if len(piece) > pieceMost {
			piece = piece[:pieceMost]
			f.at += pieceMost
		} else {
			f.part, f.at = f.part+1, 0
		}
		searched += len(piece)
		over := len(text) - 1
		seam := slices.Concat(f.carried, piece[:min(len(piece), over)])
		if bytes.Contains(piece, text) || bytes.Contains(seam, text) {
			return true, searched, true
		}
		if len(piece) < over {
			piece = seam
		}
		f.carried = append(f.carried[:0], piece[max(0, len(piece)-over):]...)
	}
	return false, searched, true
}
