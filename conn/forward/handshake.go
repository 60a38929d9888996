package forward

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"

	"beanfield/conn"
)

// Version is that of the handshake.
const Version = 1

// magic begins the greeting and the request; its last byte is the version.
const magic = "beanlnk" + string(rune(Version))

const (
	nonceLength = 32
	macLength   = sha256.Size
	// longestBody is how long the body of a request can be: nonce, four names, flags, peer.
	longestBody   = nonceLength + 4*(1+longestName) + 1 + 1 + longestPeer
	longestName   = 255
	longestPeer   = 18
	longestReason = 255
)

type nonce [nonceLength]byte

// key is what both sides prove that they have.
type key [sha256.Size]byte

// seal is a proof that whoever has the key has said this, in answer to these nonces.
func (k *key) seal(what string, link, node *nonce, said ...[]byte) []byte {
	h := hmac.New(sha256.New, k[:])
	io.WriteString(h, what)
	h.Write(link[:])
	h.Write(node[:])
	for _, b := range said {
		h.Write(b)
	}
	return h.Sum(nil)
}

// request is what a node says of a client that it wants to pass on.
type request struct {
	nonce    nonce
	cluster  string
	node     string // that asks
	entrance Entrance
	peer     conn.Peer
}

var errMalformed = errors.New("it sent a request that cannot be read")

// The kinds of peers.
const (
	unknownPeer = iota
	addressPeer
	unixPeer
)

// encode is the body of the request.
func (r *request) encode() ([]byte, error) {
	b := append([]byte(nil), r.nonce[:]...)
	for _, name := range []string{r.cluster, r.node, r.entrance.Front, r.entrance.Place} {
		if len(name) > longestName {
			return nil, fmt.Errorf("the name %.20q... is too long", name)
		}
		b = append(append(b, byte(len(name))), name...)
	}
	flags := byte(0)
	for i, set := range r.entrance.flags() {
		if *set {
			flags |= 1 << i
		}
	}
	b = append(b, flags)
	switch p := r.peer; {
	case p.Unix:
		b = append(b, unixPeer)
		for _, n := range []uint32{uint32(p.PID), p.UID, p.GID} {
			b = binary.BigEndian.AppendUint32(b, n)
		}
	case p.Addr.IsValid():
		b = append(b, addressPeer)
		a := p.Addr.Addr().As16()
		b = binary.BigEndian.AppendUint16(append(b, a[:]...), p.Addr.Port())
	default:
		b = append(b, unknownPeer)
	}
	return b, nil
}

// flags are the parts of an entrance that are true or false, in the order of their bits.
func (e *Entrance) flags() [4]*bool { return [4]*bool{&e.TLS, &e.Login, &e.HTTP, &e.Local} }

// decodeRequest reads the body of a request, all of it.
func decodeRequest(b []byte) (r request, err error) {
	d := decoder{b, true}
	copy(r.nonce[:], d.take(nonceLength))
	for _, name := range []*string{&r.cluster, &r.node, &r.entrance.Front, &r.entrance.Place} {
		*name = string(d.take(int(d.byte())))
	}
	flags := d.byte()
	for i, set := range r.entrance.flags() {
		*set = flags&(1<<i) != 0
	}
	switch d.byte() {
	case unknownPeer:
	case addressPeer:
		address := netip.AddrFrom16([16]byte(d.take(16)))
		r.peer.Addr = netip.AddrPortFrom(address.Unmap(), binary.BigEndian.Uint16(d.take(2)))
	case unixPeer:
		r.peer.Unix, r.peer.PID = true, int32(d.number())
		r.peer.UID, r.peer.GID = d.number(), d.number()
	default:
		return request{}, errMalformed
	}
	if !d.ok || len(d.rest) > 0 || flags >= 1<<len(r.entrance.flags()) {
		return request{}, errMalformed
	}
	return r, nil
}

// decoder takes bytes apart.
type decoder struct {
	rest []byte
	ok   bool // there have been enough of them
}

// take takes n bytes: zeros, if there are fewer.
func (d *decoder) take(n int) []byte {
	if n > len(d.rest) {
		d.rest, d.ok = nil, false
		return make([]byte, n)
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) byte() byte     { return d.take(1)[0] }
func (d *decoder) number() uint32 { return binary.BigEndian.Uint32(d.take(4)) }

// status is a link's answer.
type status byte

const (
	taken      status = iota
	notServing        // now, or there is no room; ask again
	_                 // former links: there is no room
	refused           // and will be
)

// greet sends the greeting.
func greet(w io.Writer, n *nonce) error {
	_, err := w.Write(append([]byte(magic), n[:]...))
	return err
}

// readGreeting reads it, no byte more.
func readGreeting(r io.Reader) (n nonce, err error) {
	var b [len(magic) + nonceLength]byte
	if _, err = io.ReadFull(r, b[:]); err != nil {
		return n, err
	}
	return nonce(b[len(magic):]), checkMagic(b[:len(magic)])
}

func checkMagic(b []byte) error {
	name := len(magic) - 1
	switch {
	case string(b[:name]) != magic[:name]:
		return errors.New("it does not speak this protocol")
	case b[name] != magic[name]:
		return fmt.Errorf("it speaks version %d of the protocol between nodes, and this node version %d", b[name],
			magic[name])
	}
	return nil
}

// send sends a request in answer to a link's nonce.
func (r *request) send(w io.Writer, k *key, link *nonce) error {
	body, err := r.encode()
	if err != nil {
		return err
	}
	b := binary.BigEndian.AppendUint16([]byte(magic), uint16(len(body)))
	b = append(b, body...)
	_, err = w.Write(append(b, k.seal("request", link, &r.nonce, b)...))
	return err
}

var errStranger = errors.New("it does not prove that it is a node of this cluster")

// readRequest reads a request, no byte more, and checks who has sent it.
func readRequest(from io.Reader, k *key, link *nonce) (r request, err error) {
	var b [len(magic) + 2 + longestBody + macLength]byte
	head := b[:len(magic)+2]
	if _, err = io.ReadFull(from, head); err != nil {
		return r, err
	}
	if err = checkMagic(head); err != nil {
		return r, err
	}
	length := int(binary.BigEndian.Uint16(head[len(magic):]))
	if length > longestBody {
		return r, errMalformed
	}
	said := b[:len(head)+length]
	if _, err = io.ReadFull(from, b[len(head):len(said)+macLength]); err != nil {
		return r, err
	}
	if r, err = decodeRequest(said[len(head):]); err != nil {
		return request{}, err
	}
	if !hmac.Equal(b[len(said):len(said)+macLength], k.seal("request", link, &r.nonce, said)) {
		return request{}, errStranger
	}
	return r, nil
}

// answer sends a link's answer to a request.
func (k *key) answer(w io.Writer, s status, reason string, link, node *nonce) error {
	reason = reason[:min(len(reason), longestReason)]
	b := append([]byte{byte(s), byte(len(reason))}, reason...)
	_, err := w.Write(append(b, k.seal("answer", link, node, b)...))
	return err
}

// readAnswer reads it, no byte more, and checks who has sent it.
func (k *key) readAnswer(from io.Reader, link, node *nonce) (s status, reason string, err error) {
	var b [2 + longestReason + macLength]byte
	if _, err = io.ReadFull(from, b[:2]); err != nil {
		return 0, "", err
	}
	said := b[:2+int(b[1])]
	if _, err = io.ReadFull(from, b[2:len(said)+macLength]); err != nil {
		return 0, "", err
	}
	if !hmac.Equal(b[len(said):len(said)+macLength], k.seal("answer", link, node, said)) || status(b[0]) > refused {
		return 0, "", errStranger
	}
	return status(b[0]), strings.ToValidUTF8(string(said[2:]), "?"), nil
}
