package forward

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"beanfield/conn"
	"beanfield/storage/must"
)

// A stranger at the link gets a greeting and nothing else, whatever it sends, and nobody at the host hears of it (FW7).
func TestStrangers(t *testing.T) {
	var text must.Text
	link := must.Get(Listen("127.0.0.1:0", LinkOptions{Cluster: plain,
		Logger: text.Logger()}))
	defer link.Close(t.Context())
	host := newFront()
	link.Local(host)
	other, name := plain, plain
	other.Secret, name.Name = "another", "another"
	ask := func(c Cluster) func(nl *nonce) []byte {
		return func(nl *nonce) []byte {
			var b bytes.Buffer
			p := must.Get(c.proofs())
			r := request{cluster: c.Name, node: "one", entrance: entrance}
			must.Do(t, r.send(&b, &p.key, nl))
			return b.Bytes()
		}
	}
	former := ask(plain)(new(nonce))
	for what, say := range map[string]func(nl *nonce) []byte{
		"garbage":      func(*nonce) []byte { return bytes.Repeat([]byte("put 0 0 0 1\r\n"), 1000) },
		"nothing":      func(*nonce) []byte { return nil },
		"wrong secret": ask(other),
		"wrong name":   ask(name),
		"replayed":     func(*nonce) []byte { return former },
		"cut":          func(nl *nonce) []byte { b := ask(plain)(nl); return b[:len(b)-1] },
		"version": func(nl *nonce) []byte { // by a node that has the secret
			b := ask(plain)(nl)
			b[len(magic)-1]++
			said, nn := b[:len(b)-macLength], nonce(b[len(magic)+2:])
			return append(said, must.Get(plain.proofs()).key.seal("request", nl, &nn, said)...)
		},
		"changed": func(nl *nonce) []byte { b := ask(plain)(nl); b[len(b)-macLength-1]++; return b },
		"endless": func(*nonce) []byte { return append([]byte(magic), 255, 255) },
	} {
		c := must.Get(net.Dial("tcp", link.Address())).(*net.TCPConn)
		c.SetDeadline(time.Now().Add(must.Patience))
		nl := must.Get(readGreeting(c))
		c.Write(say(&nl))
		c.CloseWrite()
		if b, _ := io.ReadAll(c); len(b) > 0 {
			t.Errorf("%s: it is sent %q", what, b)
		}
		c.Close()
	}
	if n := strings.Count(text.String(), "\n"); n != 1 || len(host.come) > 0 {
		t.Errorf("%d lines, and %d clients of strangers", n, len(host.come))
	}
}

// Those who come and stay silent do not keep others out (FW7).
func TestSilentStrangers(t *testing.T) {
	s := newSite(t, plain)
	for range 2 * mostOfOne {
		must.Get(net.Dial("tcp", s.link.Address()))
	}
	var some guests
	first, _ := net.Pipe()
	g := some.enter(first)
	for range mostOfOne - 1 {
		some.enter(first)
	}
	if last := some.enter(first); some.prove(g) || !some.prove(last) {
		t.Error("when there is one too many, another one goes than the first")
	}
	s.serves()
	c := s.dial()
	says(t, c, s.host.next(t), "put")
}

// linked is a connection at whoever listens at the address of a link. It has been asked to take a client.
type linked struct {
	*net.TCPConn
	key    key
	nl, nn nonce
}

func comes(t *testing.T, l net.Listener) *linked {
	v := &linked{TCPConn: must.Get(l.Accept()).(*net.TCPConn), key: must.Get(plain.proofs()).key}
	t.Cleanup(func() { v.Close() })
	must.Do(t, greet(v, &v.nl))
	v.nn = must.Get(readRequest(v, &v.key, &v.nl)).nonce
	return v
}

func (v *linked) answer(s status) { must.Get(0, v.key.answer(v, s, "", &v.nl, &v.nn)) }

// Whoever listens at the address of a link gets no byte of a client, and no host (FW8).
func TestFalseLink(t *testing.T) {
	s := newSite(t, plain)
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	s.Owner(l.Addr().String())
	d := s.dial()
	must.Get(io.WriteString(d, "put"))
	other := plain
	other.Secret = "another"
	for _, answer := range []func(v *linked){
		func(v *linked) { v.Write(make([]byte, 1000)) },
		func(v *linked) { v.key = must.Get(other.proofs()).key; v.answer(taken) },
		func(v *linked) { v.nn = nonce{}; v.answer(taken) },
	} {
		v := comes(t, l)
		answer(v)
		v.CloseWrite()
		if b, _ := io.ReadAll(v); len(b) > 0 {
			t.Errorf("it gets %q", b)
		}
		v.Close()
	}
	c := must.Get(l.Accept()).(*net.TCPConn)
	must.Get(c.Write(append([]byte(magic[:len(magic)-1]), Version+1)))
	must.Get(c.Write(make([]byte, nonceLength)))
	c.CloseWrite()
	if b, _ := io.ReadAll(c); len(b) > 0 {
		t.Errorf("a link of another version gets %q", b)
	}
	c.Close()
	s.serves()
	v := s.host.next(t)
	must.Get(io.ReadFull(v, make([]byte, len("put")))) // as no front end speaks first
	says(t, v, d, "INSERTED")
}

// A client whose entrance the serving node lacks is closed, and the log of its node says why.
func TestRefused(t *testing.T) {
	s := newSite(t, plain)
	var text must.Text
	s.log = text.Logger()
	s.host.say(errors.New("node one has no such listener"))
	s.serves()
	for range 3 {
		ended(t, s.dial())
	}
	if n := strings.Count(text.String(), "node one has no such listener"); n != 1 {
		t.Errorf("%d lines: %s", n, text.String())
	}
}

// A node that has the secret, but believes in another cluster, is told so.
func TestOtherCluster(t *testing.T) {
	s := newSite(t, plain)
	var text must.Text
	s.log = text.Logger()
	s.Forwarder.proofs.cluster = "else"
	s.serves()
	ended(t, s.dial())
	if !strings.Contains(text.String(), "else") {
		t.Errorf("the log says %q", text.String())
	}
}

// The log does not speak of secrets when somebody has said nothing.
func TestStrangerTo(t *testing.T) {
	mute := strangerTo(io.EOF)
	for err, want := range map[error]string{io.ErrUnexpectedEOF: mute, errStranger: strangerTo(errMalformed),
		&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}: mute,
		&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}:                         mute} {
		if got := strangerTo(err); got != want || (got == mute) == strings.Contains(got, "secret") {
			t.Errorf("%v: %q", err, got)
		}
	}
}

func FuzzRequest(f *testing.F) {
	for _, p := range []conn.Peer{{}, {Unix: true, PID: -1, UID: 1}} {
		r := request{cluster: "c", node: "n", entrance: entrance, peer: p}
		f.Add(must.Get(r.encode()))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decodeRequest(b)
		if err != nil {
			return
		}
		if again, err := r.encode(); err != nil || !bytes.Equal(again, b) {
			t.Errorf("%q is read as %+v, which is %q, %v", b, r, again, err)
		}
	})
}
