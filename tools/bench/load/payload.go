//go:build linux

package load

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"
)

const (
	// drawnSizes is how many sizes are drawn from a range and built beforehand.
	drawnSizes = 64
	// What ordinary clients put with: priority 1024, a minute to run.
	JobPriority = 1024
	jobTTR      = 60
	// A backlog in the tube under load must come after everything the load puts.
	backlogPriority = 2000000000
	// stampSize bytes at the start of a body may carry the time it was put.
	stampSize = 8
)

// A Payload holds the put requests built beforehand, and checks the bodies that come back.
type Payload struct {
	Body    []byte   // the longest; every body is its prefix
	single  [][]byte // one put, one for each drawn size
	sizes   Sizes
	stamped bool
	keyed   bool
	key     uint64 // the last one: they count up from the run's beginning, so that no other run had them
}

// NewPayload is that of a load.
func NewPayload(ld *Load) *Payload {
	p := &Payload{Body: make([]byte, ld.Body[1]), sizes: ld.Body, stamped: ld.stamped(), keyed: ld.Keyed}
	p.key = uint64(time.Now().UnixNano())
	for i := range p.Body {
		p.Body[i] = 'a' + byte(i%26)
	}
	r, n := rand.New(rand.NewPCG(ld.Seed, 1)), 1
	if ld.Body[0] != ld.Body[1] {
		n = drawnSizes
	}
	for range n {
		p.single = append(p.single, p.put(JobPriority, p.Body[:ld.Body.draw(r)]))
	}
	return p
}

// put is a request.
func (p *Payload) put(priority int, body []byte) []byte {
	if p.keyed {
		return fmt.Appendf(nil, "put-with %d pri=%d ttr=%d key=%s\r\n%s\r\n", len(body), priority, jobTTR, keyPlace, body)
	}
	return fmt.Appendf(nil, "put %d 0 %d %d\r\n%s\r\n", priority, jobTTR, len(body), body)
}

// keyPlace is where a request is to have its key, which has as many digits.
const keyPlace = "k0000000000000000000"

// append appends a put, with the time and with a key of its own where the load wants that.
func (p *Payload) append(b []byte, r *rand.Rand, now int64) []byte {
	put := p.single[0]
	if len(p.single) > 1 {
		put = p.single[r.IntN(len(p.single))]
	}
	at := len(b)
	b = append(b, put...)
	if p.stamped {
		binary.LittleEndian.PutUint64(b[len(b)-len("\r\n")-len(p.Body):], uint64(now))
	}
	if p.keyed {
		p.number(b[at:])
	}
	return b
}

// number gives a request its key.
func (p *Payload) number(put []byte) {
	p.key++
	end := bytes.IndexByte(put, '\r')
	strconv.AppendUint(put[:end-len(keyPlace)+1], p.key, 10)
}

// Intact tells whether a body is one of ours; the stamp may hold anything.
func (p *Payload) Intact(body []byte) bool {
	if len(body) < p.sizes[0] || len(body) > p.sizes[1] {
		return false
	}
	from := min(stampSize, len(body))
	return bytes.Equal(body[from:], p.Body[from:len(body)])
}
