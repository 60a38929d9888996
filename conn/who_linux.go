package conn

import "syscall"

// askWho asks the kernel for the process at the other end of a unix socket.
func (p *Peer) askWho(socket int) {
	if u, err := syscall.GetsockoptUcred(socket, syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil {
		p.Unix, p.PID, p.UID, p.GID = true, u.Pid, u.Uid, u.Gid
	}
}
