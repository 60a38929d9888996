package nodes

import (
	"bytes"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
)

// dialler is the name of the node whose process has opened a connection; "" if none has.
func (c *Cluster) dialler(conn net.Conn) string {
	socket := socketOf(conn.RemoteAddr().String(), conn.LocalAddr().String())
	for _, n := range c.Nodes {
		n.known.Lock()
		pids := n.pids
		n.known.Unlock()
		if socket == "" || len(pids) == 0 {
			continue
		}
		fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pids[len(pids)-1]))
		for _, fd := range fds {
			if is, _ := os.Readlink(fd); is == socket {
				return n.Name
			}
		}
	}
	return ""
}

// socketOf is what the kernel calls the socket at one end of a connection over IPv4; "" if it has none.
func socketOf(near, far string) string {
	table, _ := os.ReadFile("/proc/net/tcp")
	_, rest, _ := bytes.Cut(table, []byte(": "+hex(near)+" "+hex(far)+" "))
	const inode = 6 // state, queues, timer, retransmissions, user, timeout
	fields := bytes.Fields(rest[:min(len(rest), 200)])
	if len(fields) <= inode {
		return ""
	}
	return fmt.Sprintf("socket:[%s]", fields[inode])
}

// hex is an address as the kernel prints it.
func hex(address string) string {
	a, _ := netip.ParseAddrPort(address)
	b := a.Addr().As4()
	return fmt.Sprintf("%02X%02X%02X%02X:%04X", b[3], b[2], b[1], b[0], a.Port())
}
