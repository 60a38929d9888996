package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"time"

	"beanfield/tools/nodes"
	"beanfield/tools/server"
)

// through is a server for suites that start one with these flags: a cluster whose clients come to a node that does not
// serve. This process becomes the node that serves, so that its number is the one in stats, and signals reach it. A
// second process, the usher, has the other nodes.
type through struct {
	binary, config    string
	host, port, queue string
	most              int // bytes of a job
	secured           bool
}

// The nodes' parts.
const (
	serving  = "a"
	entrance = "b" // where clients come
)

func init() {
	// What this thread starts gets a signal when it ends, and it is the one that goes on in another program.
	runtime.LockOSThread()
}

// become starts the usher, and goes on as the node that serves. It returns only if it cannot.
func (r through) become() error {
	if runtime.GOOS != "linux" {
		return errors.New("-through runs on Linux only: elsewhere the other nodes would outlive this one")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	usher := exec.Command(self, append(slices.Clone(os.Args[1:]), "-usher")...)
	usher.Stderr = os.Stderr
	usher.SysProcAttr = new(syscall.SysProcAttr)
	server.DieWithUs(usher.SysProcAttr, syscall.SIGTERM)
	said, err := usher.StdoutPipe()
	if err == nil {
		err = usher.Start()
	}
	if err != nil {
		return err
	}
	var command []string
	if err := json.NewDecoder(said).Decode(&command); err != nil {
		return fmt.Errorf("the usher: %w", err)
	}
	path, err := exec.LookPath(command[0])
	if err != nil {
		return err
	}
	return os.NewSyscallError("exec", syscall.Exec(path, command, os.Environ()))
}

// usher prints the command of the node that is to serve, and has the others follow it until its parent ends. It talks
// to no node as a client, because suites compare how many there were.
func (r through) usher(ctx context.Context, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "through-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	at, err := r.take() // before a node is given this port
	if err != nil {
		return err
	}
	defer at.Close()
	c, err := r.nodes(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := json.NewEncoder(out).Encode(c.Node(serving).Command()); err != nil {
		return err
	}
	for _, n := range c.Nodes {
		if n.Name != serving {
			err = errors.Join(err, n.Start())
		}
	}
	if err == nil {
		err = r.open(ctx, c, at)
	}
	if ctx.Err() != nil {
		return nil
	}
	if err == nil {
		<-ctx.Done()
	}
	return err
}

func (r through) nodes(dir string) (*nodes.Cluster, error) {
	text := []byte(nil)
	if r.config != "" {
		var err error
		if text, err = os.ReadFile(r.config); err != nil {
			return nil, err
		}
	}
	o := nodes.Options{Binary: r.binary, Dir: dir, Config: string(text), TLS: r.secured, Queue: r.queue != ""}
	if r.most > 0 {
		o.Flags = []string{"-z", fmt.Sprint(r.most)}
	}
	return nodes.New(o)
}

// open has clients come in when the right node serves: the other one gets its place only then.
func (r through) open(ctx context.Context, c *nodes.Cluster, at io.Closer) error {
	n := c.Node(entrance)
	for !owns(ctx, n) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look):
		}
	}
	if l, ok := at.(net.Listener); ok {
		return gate(ctx, l, n.TLS)
	}
	n.Client, n.Queue = r.address(), r.queue
	_ = n.Stop() // on a busy machine it may take too long to end in order
	return errors.Join(c.Configure(n), at.Close(), n.Start())
}

func (r through) address() string { return net.JoinHostPort(r.host, r.port) }

// take takes the place where clients come, before anybody else does. Those who come early wait at a gate, and are
// refused by a node that is not there yet.
func (r through) take() (io.Closer, error) {
	if r.secured {
		return net.Listen("tcp4", r.address())
	}
	at, err := netip.ParseAddrPort(r.address())
	if err != nil {
		return nil, err
	}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	syscall.CloseOnExec(fd)
	err = syscall.Bind(fd, &syscall.SockaddrInet4{Port: int(at.Port()), Addr: at.Addr().As4()})
	return os.NewFile(uintptr(fd), "place"), os.NewSyscallError("bind", err)
}

// look is how often the usher looks who serves. Each look is a process: of them, one every 50 ms took half of the time
// of a processor that a start costs.
const look = 250 * time.Millisecond

// owns tells whether the right node serves. If another one does, it is told to hand over.
func owns(ctx context.Context, n *nodes.Node) bool {
	s, err := n.Status(ctx)
	if err != nil || len(s.Shards) == 0 {
		return false
	}
	for _, shard := range s.Shards {
		if shard.Owner == "" {
			return false
		}
		if shard.Owner != serving {
			_, _ = n.Tell(ctx, "cluster", "move", serving) // it may be refused until the node is fit
			return false
		}
	}
	return true
}
