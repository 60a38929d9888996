package cluster

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"beanfield/storage/cluster/ownership"
)

// refetchEach is how often a damaged copy is replaced by itself: a disk that harms one after the other would have
// the other nodes send theirs for ever.
const refetchEach = time.Hour

// againEach is when it is tried again if another node's copy could not be fetched.
const againEach = time.Minute

// damaged is told by the copies. One that was set aside at the start is fetched at once: what is left is empty, and
// holds up the purges.
func (n *Node) damaged(shard int, _ string, inUse bool, why error) {
	n.do(func(time.Duration) {
		r := n.replicas[shard]
		if !inUse {
			n.o.Logger.Error("this node's copy of a shard is damaged: another node's takes its place", "shard", r.i,
				"kept in", n.copies.Aside(r.i), "error", why.Error())
			r.replaces = true
			r.rebuild("its copy is damaged: " + why.Error())
			return
		}
		n.o.Logger.Error("this node's copy of a shard is damaged: it is used until another node's can take its place",
			"shard", r.i, "error", why.Error())
		r.unreadable, r.notBefore = why, r.mayAgain()
	})
}

// mayAgain is when a damaged copy may be replaced again: an hour from now at most, whatever the clock was.
func (r *replica) mayAgain() (at time.Time) {
	if last, err := os.Stat(r.lastReplaced()); err == nil {
		at = time.Now().Add(min(refetchEach, refetchEach-time.Since(last.ModTime())))
	}
	return at
}

// lastReplaced is a file that says when a damaged copy was replaced last.
func (r *replica) lastReplaced() string {
	return filepath.Join(r.node.o.Dir, fmt.Sprintf("mended-%03d", r.i))
}

// tendCopies deals with damage that was met while the copies were in use. It says what is wrong with a node that could
// not open them.
func (n *Node) tendCopies() (fault string) {
	for _, r := range n.replicas {
		text := ""
		if r.unreadable != nil && !r.retired.Load() {
			text = r.replaceDamaged()
			if n.now() < n.unopened {
				fault = text
			}
		}
		n.election.Copy(r.i).Damaged = text
	}
	return fault
}

// replaceDamaged has another node's copy take the place of a damaged one that is in use, or says why that waits.
func (r *replica) replaceDamaged() (waits string) {
	n := r.node
	text := fmt.Sprintf("its copy of shard %d is damaged: %v", r.i, r.unreadable)
	_, whole := n.election.Source(r.i)
	switch {
	case n.election.InTerm() || n.election.Role() >= ownership.Candidate:
		return text
	case time.Now().Before(r.notBefore):
		return text + fmt.Sprintf("; the one before was damaged, too, less than an hour ago, or could not be "+
			"replaced, so look at the disk; "+
			"another one is fetched at %s, or at once with beanfield cluster rebuild %s",
			r.notBefore.Format(time.DateTime), n.o.Node)
	case !whole:
		return text + "; no other node has one now that could take its place"
	}
	r.replaces = true
	r.rebuild(text)
	return text
}

// roomFor tells whether the disk has room for a checkpoint. A damaged copy gives way to it, if that suffices.
func (r *replica) roomFor(bytes int64) error {
	n := r.node
	free, all, err := n.space(n.o.Dir)
	need := uint64(bytes) + min(leastRoom, all/roomPart)
	if err != nil || free >= need {
		return err
	}
	kept := n.copies.Aside(r.i)
	var frees uint64
	_ = filepath.WalkDir(kept, func(_ string, e fs.DirEntry, err error) error { // what cannot be read frees nothing
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				frees += uint64(info.Size())
			}
		}
		return nil
	})
	if kept == "" || free+frees < need {
		return fmt.Errorf("%d MiB of the disk are free, and %d must be", free>>20, need>>20)
	}
	n.o.Logger.Warn("a damaged copy is removed: its disk has no room for another one", "kept in", kept)
	if err := n.copies.Forget(r.i); err != nil {
		return err
	}
	return r.roomFor(bytes)
}
