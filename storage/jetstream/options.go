package jetstream

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/nats-io/nats-server/v2/server"
)

const (
	// MaxPayload is how long a message may be, and so a record of turns.
	MaxPayload = 8 << 20
	// engineUser is the name under which engines know each other, and this process.
	engineUser = "beanfield"
	// systemUser is for this process' orders that concern the engine itself (Expel).
	systemUser = "beanfield-system"
)

// Options are those of an embedded engine.
type Options struct {
	Dir     string            // where it keeps its streams
	Cluster string            // engines of other clusters are refused
	Node    string            // the name of this one
	Since   uint64            // since which table of members it is one (EngineName)
	Rests   bool              // it starts as after Rest, and with a name of its own: it is no member (WakeAs)
	Nodes   map[string]string // where each node's engine talks to the others, the own one included: host:port
	Secret  string            // shared by the nodes
	MaxFile int64             // bytes on the disk; 0: the engine looks at how much there is
	Logger  *slog.Logger      // nil: its lines are dropped

	// Cert, Key and CA are PEM files: with them engines use TLS among themselves, and each must show a
	// certificate that CA has signed.
	Cert, Key, CA string

	alias string // that name
}

// ErrOptions says that an engine cannot run with its options.
var ErrOptions = errors.New("jetstream: the engine's options are wrong")

func (o *Options) check() error {
	for _, name := range append(slices.Sorted(maps.Keys(o.Nodes)), o.Cluster) {
		if !plain(name) {
			return fmt.Errorf("%w: the name %q may have letters, digits, - and _ only", ErrOptions, name)
		}
	}
	for name, address := range o.Nodes {
		if _, _, err := split(address); err != nil {
			return fmt.Errorf("%w: the address of node %s: %w", ErrOptions, name, err)
		}
	}
	switch {
	case o.Nodes[o.Node] == "":
		return fmt.Errorf("%w: no address for this node, %q", ErrOptions, o.Node)
	case o.Dir == "":
		return fmt.Errorf("%w: no directory", ErrOptions)
	case (o.Cert == "") != (o.Key == "") || (o.Cert == "") != (o.CA == ""):
		return fmt.Errorf("%w: TLS needs a certificate, its key and the certificates to trust", ErrOptions)
	case o.Secret == "" && o.Cert == "":
		return fmt.Errorf("%w: no secret", ErrOptions)
	}
	return nil
}

// CheckNode says what is wrong with the name or the address of a node.
func CheckNode(name, address string) error {
	o := Options{Node: name, Nodes: map[string]string{name: address}, Cluster: name, Dir: "-", Secret: "-"}
	return o.check()
}

// listens tries this node's address: the engine would say less of what is wrong with it.
func (o *Options) listens() error {
	if len(o.Nodes) == 1 {
		return nil
	}
	l, err := net.Listen("tcp", o.Nodes[o.Node])
	switch {
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("%w: this machine does not have the address of node %s, %s: is it the configuration of "+
			"another machine?", ErrOptions, o.Node, o.Nodes[o.Node])
	case err != nil:
		return fmt.Errorf("%w: the address of node %s: %w", ErrOptions, o.Node, err)
	}
	return l.Close()
}

// plain tells whether a name can be a part of a subject, of a stream's name and of a file's.
func plain(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}) < 0
}

func split(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return "", 0, fmt.Errorf("%s: no port", address)
	}
	return host, int(n), nil
}

// password is made from the secret, so that it can stand in a URL whatever the secret has in it,
// and the secret itself in no line of a log.
func (o *Options) password() string {
	sum := sha256.Sum256([]byte("beanfield engine\x00" + o.Cluster + "\x00" + o.Secret))
	return hex.EncodeToString(sum[:])
}

// text is the engine's configuration, as it would stand in its file (E1). Without a port for
// clients the engine does not begin to talk to the others, and does not end either: it waits for
// that port. So there is one that only this machine reaches, and only with a password that nobody
// but this process knows.
func (o *Options) text(client string, streams bool) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("server_name: %s", quoted(o.engine()))
	line("host: 127.0.0.1")
	line("port: -1")
	line("authorization { users: [ { user: %s, password: %s } ] }", engineUser, quoted(client))
	line("accounts { $SYS { users: [ { user: %s, password: %s } ] } }", systemUser, quoted(client))
	line("max_payload: %d", MaxPayload)
	line("max_pending: %d", 16*MaxPayload)
	if streams {
		o.streams(line)
	}
	if len(o.Nodes) > 1 {
		o.routes(line)
	}
	return b.String()
}

// streams are what the engine keeps.
func (o *Options) streams(line func(string, ...any)) {
	line("jetstream {")
	line("  store_dir: %s", quoted(o.home()))
	line("  sync_interval: always")
	line("  max_memory_store: %d", 64<<20)
	if o.MaxFile > 0 {
		line("  max_file_store: %d", o.MaxFile)
	}
	line("}")
}

// routes are how the engine finds the others. Each knows all: nobody needs to tell it more.
func (o *Options) routes(line func(string, ...any)) {
	host, port, _ := split(o.Nodes[o.Node])
	line("cluster {")
	line("  name: %s", quoted(o.Cluster))
	line("  host: %s", quoted(host))
	line("  port: %d", port)
	line("  no_advertise: true")
	line("  authorization { user: %s, password: %s, timeout: 5 }", engineUser, quoted(o.password()))
	if o.Cert != "" {
		line("  tls { cert_file: %s, key_file: %s, ca_file: %s, verify: true, timeout: 5 }", quoted(o.Cert),
			quoted(o.Key), quoted(o.CA))
	}
	line("  routes: [")
	for _, name := range slices.Sorted(maps.Keys(o.Nodes)) {
		if name != o.Node {
			u := url.URL{Scheme: "nats-route", User: url.UserPassword(engineUser, o.password()), Host: o.Nodes[name]}
			line("    %s", quoted(u.String()))
		}
	}
	line("  ]")
	line("}")
}

// quoted is a string of the engine's configuration.
func quoted(text string) string {
	b := []byte{'"'}
	for _, c := range []byte(text) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			b = fmt.Appendf(b, `\x%02x`, c)
		} else {
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}

// parsed is the configuration as the engine's own parser reads it, and what only a program that
// embeds the engine can set.
func (o *Options) parsed(client string, streams bool) (*server.Options, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	opts := new(server.Options)
	if err := opts.ProcessConfigString(o.text(client, streams)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	opts.NoSigs, opts.NoLog = true, true
	return opts, nil
}
