package access

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
)

// Policy is a set of rules. It never changes. A nil one allows everything (A1).
type Policy struct {
	rules    []compiled
	mu       sync.Mutex // of subjects; not taken for a command
	subjects map[string]*Subject
}

// sharedSubjects bounds how many subjects a policy shares (A3). One beyond that is made
// for each client that needs it.
const sharedSubjects = 4096

// New returns the policy of some rules, or says what is wrong with each rule that is.
func New(rules []Rule) (*Policy, error) {
	if len(rules) == 0 {
		return nil, nil
	}
	p := &Policy{subjects: map[string]*Subject{}}
	var wrong []error
	for i := range rules {
		c, err := compile(i, rules[i])
		p.rules = append(p.rules, c)
		wrong = append(wrong, err)
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	return p, nil
}

// Knows says whether a rule names a token: whether it is a right one.
func (p *Policy) Knows(h *Hash) bool {
	known := false
	if p != nil {
		for i := range p.rules {
			known = h.IsAmong(p.rules[i].hashes) || known
		}
	}
	return known
}

// Subject returns the subject for whom the same rules hold as for a client.
func (p *Policy) Subject(id Identity) *Subject {
	if p == nil {
		return nil
	}
	set := make([]byte, (len(p.rules)+7)/8)
	for i := range p.rules {
		r := &p.rules[i]
		token := id.Token != nil && id.Token.IsAmong(r.hashes)
		if r.holdsFor(&id, token) {
			set[i/8] |= 1 << (i % 8)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.subjects[string(set)]; s != nil {
		return s
	}
	s := p.newSubject(set)
	if len(p.subjects) < sharedSubjects {
		p.subjects[string(set)] = s
	}
	return s
}

func (p *Policy) newSubject(set []byte) *Subject {
	s := &Subject{}
	var names []string
	for i := range p.rules {
		if set[i/8]&(1<<(i%8)) != 0 {
			s.rights.add(&p.rules[i].Rule)
			names = append(names, p.rules[i].Name)
		}
	}
	s.name = strings.Join(names, ", ")
	return s
}

// Current has the policy that holds now. The zero value allows everything.
type Current struct {
	current atomic.Pointer[Policy]
	mu      sync.Mutex // of told, and of Replace
	told    map[int]func()
	next    int // key of told
}

// Load returns the policy that holds now.
func (b *Current) Load() *Policy { return b.current.Load() }

// Replace makes another policy hold, for open connections too, and then calls those who
// want to know.
func (b *Current) Replace(p *Policy) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.current.Store(p)
	for _, f := range b.told {
		f()
	}
}

// OnReplace has f called after each Replace, until forget is called. f must not block and must
// not call Current's Replace, OnReplace or a forget.
func (b *Current) OnReplace(f func()) (forget func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.told == nil {
		b.told = map[int]func(){}
	}
	key := b.next
	b.next++
	b.told[key] = f
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.told, key)
	}
}
