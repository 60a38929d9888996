package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// refetchEach is how often a damaged copy is replaced by itself: a disk that harms one after the other would have
// the other nodes send theirs for ever.
const refetchEach = time.Hour

// damaged is told by the copies.
func (n *Node) damaged(shard int, kept string, inUse bool, why error) {
	n.do(func(time.Duration) {
		r := n.replicas[shard]
		r.keptIn, r.setAside = kept, inUse
		r.replaceDamaged(why)
	})
}

// replaceDamaged has another node's copy take the place of one that cannot be read. An owner hands over before:
// see tendCopies.
func (r *replica) replaceDamaged(why error) {
	n := r.node
	if r.retired.Load() || n.station.Serving() {
		r.unreadable = why
		return
	}
	r.unreadable, r.replaces, r.notBefore = nil, true, time.Time{}
	if last, err := os.Stat(r.lastReplaced()); err == nil {
		r.notBefore = last.ModTime().Add(refetchEach)
	}
	n.o.Logger.Error("this node's copy of a shard is damaged: another node's takes its place", "shard", r.i, "kept in", r.keptIn, "error", why.Error())
	text := "its copy is damaged: " + why.Error()
	if time.Now().Before(r.notBefore) {
		text += fmt.Sprintf("; the one before was damaged, too, less than an hour ago, so look at the disk; another one is fetched at %s, "+
			"or at once with beanfield cluster rebuild %s", r.notBefore.Format(time.TimeOnly), n.o.Node)
	}
	r.rebuild(text)
}

// lastReplaced is a file that says when a damaged copy was replaced last.
func (r *replica) lastReplaced() string {
	return filepath.Join(r.node.o.Dir, fmt.Sprintf("mended-%03d", r.i))
}

// tendCopies deals with damage that was met while the copies were in use. It says what is wrong with an owner.
func (n *Node) tendCopies() (fault string) {
	for _, r := range n.replicas {
		switch {
		case r.unreadable == nil || r.retired.Load():
		case n.station.Serving():
			fault = fmt.Sprintf("shard %d cannot be read at this node: %v", r.i, r.unreadable)
		default:
			r.replaceDamaged(r.unreadable)
		}
	}
	return fault
}

// roomFor tells whether the disk has room for a checkpoint. A damaged copy gives way to it.
func (r *replica) roomFor(bytes int64) error {
	n := r.node
	for {
		free, all, err := n.space(n.o.Dir)
		need := uint64(bytes) + min(leastRoom, all/roomPart)
		switch {
		case err != nil || free >= need:
			return err
		case n.copies.Aside(r.i) == "":
			return fmt.Errorf("%d MiB of the disk are free, and %d must be", free>>20, need>>20)
		}
		n.o.Logger.Warn("a damaged copy is removed: its disk has no room for another one", "kept in", n.copies.Aside(r.i))
		if err := n.copies.Forget(r.i); err != nil {
			return err
		}
	}
}
