package access

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"

	"beanfield/conn"
)

// Rule gives rights to some clients: those that match each of Tokens, the lists of Holder, UIDs,
// GIDs and Networks that is not empty.
type Rule struct {
	Name       string   // for logs; "" means the rule's number
	Tokens     []string // SHA-256 hashes in hexadecimal
	Holder     Holder
	UIDs, GIDs []uint32       // of the process at the other end of a unix socket
	Networks   []netip.Prefix // that a client comes from
	May        Rights
	Tubes      []string // patterns
}

// check says what is wrong with a rule.
func (r *Rule) check() error {
	switch {
	case len(r.Tokens)+len(r.UIDs)+len(r.GIDs)+len(r.Networks) == 0 && !r.Holder.named():
		return errors.New("it names nobody")
	case r.May == 0:
		return errors.New("it gives no right")
	case r.May&^All != 0:
		return errors.New("it gives an unknown right")
	case len(r.Tubes) == 0:
		return errors.New("it names no tube")
	}
	if slices.Contains(r.Tubes, "") {
		return errors.New("a pattern for tubes is empty")
	}
	for _, n := range r.Networks {
		if !n.IsValid() {
			return errors.New("it names an invalid network")
		}
	}
	return r.Holder.check()
}

// compiled is a rule that is ready to be compared with clients.
type compiled struct {
	Rule
	hashes []Hash
	holder Holder // that of the rule, with opaque patterns for subjects
}

func compile(i int, r Rule) (c compiled, err error) {
	if r.Name == "" {
		r.Name = "rule " + strconv.Itoa(i+1)
	}
	c.Rule, c.holder = r, r.Holder
	c.holder.Subjects = nil
	for _, p := range r.Holder.Subjects {
		c.holder.Subjects = append(c.holder.Subjects, opaque(p))
	}
	err = r.check()
	for _, text := range r.Tokens {
		h, e := ParseHash(text)
		c.hashes = append(c.hashes, h)
		err = errors.Join(err, e)
	}
	for j, n := range r.Networks {
		if j == 0 {
			c.Networks = nil // the caller's array stays as it is
		}
		c.Networks = append(c.Networks, unmap(n))
	}
	if err != nil {
		return compiled{}, fmt.Errorf("%s: %w", r.Name, err)
	}
	return c, nil
}

// unmap returns the IPv4 network that an IPv6 prefix maps, if it does.
func unmap(n netip.Prefix) netip.Prefix {
	if n.Addr().Is4In6() && n.Bits() >= 96 {
		n = netip.PrefixFrom(n.Addr().Unmap(), n.Bits()-96)
	}
	return n.Masked()
}

// holdsFor says whether the rule holds for a client. token says that the client has one of the rule's.
func (c *compiled) holdsFor(id *Identity, token bool) bool {
	return (len(c.hashes) == 0 || token) && c.holder.fits(id.Certificate) && c.peerFits(&id.Peer) &&
		c.networkFits(&id.Peer)
}

func (c *compiled) peerFits(p *conn.Peer) bool {
	return (len(c.UIDs) == 0 || p.Unix && slices.Contains(c.UIDs, p.UID)) &&
		(len(c.GIDs) == 0 || p.Unix && slices.Contains(c.GIDs, p.GID))
}

func (c *compiled) networkFits(p *conn.Peer) bool {
	if len(c.Networks) == 0 {
		return true
	}
	addr := p.Addr.Addr().Unmap().WithZone("")
	for _, n := range c.Networks {
		if n.Contains(addr) {
			return true
		}
	}
	return false
}
