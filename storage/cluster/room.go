package cluster

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"time"
)

// leastRoom is how much of its disk must be free before a node starts, or that part of a smaller disk.
const (
	leastRoom = 64 << 20
	roomPart  = 16
	roomPoll  = time.Second
)

// space says how much of a disk is free, and how much there is.
func space(dir string) (free, all uint64, err error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, 0, err
	}
	return uint64(max(0, st.Bavail)) * uint64(st.Bsize), st.Blocks * uint64(st.Bsize), nil
}

// room waits until the disk has room. A node that has ended because of a full disk is started again at once
// by whoever looks after it; the engine would end it again and again, until nobody starts it any more.
func (n *Node) room(ctx context.Context) error {
	dir := filepath.Dir(filepath.Clean(n.o.Dir))
	for waits := false; ; waits = true {
		free, all, err := n.space(dir)
		if err != nil {
			return err
		}
		least := min(leastRoom, all/roomPart)
		if free >= least {
			return nil
		}
		if !waits {
			why := fmt.Sprintf("room on its disk: %d MiB of %s are free, and %d must be", free>>20, dir, least>>20)
			n.o.Logger.Error("this node does not start yet", "for", why)
			defer n.saying(why).done()
		}
		if err := pause(ctx, roomPoll); err != nil {
			return err
		}
	}
}
