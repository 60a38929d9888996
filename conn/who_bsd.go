//go:build darwin || freebsd

package conn

import "golang.org/x/sys/unix"

// askWho asks the kernel for the user at the other end of a unix socket. It does not tell the process, and
// as the group the user's first one.
func (p *Peer) askWho(socket int) {
	const local = 0 // SOL_LOCAL
	if u, err := unix.GetsockoptXucred(socket, local, unix.LOCAL_PEERCRED); err == nil && u.Ngroups > 0 {
		p.Unix, p.UID, p.GID = true, u.Uid, u.Groups[0]
	}
}
