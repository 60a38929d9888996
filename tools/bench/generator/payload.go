package generator

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strconv"

	"beanfield/tools/bench/load"
)

const (
	// drawnSizes is how many sizes are drawn from a range and built beforehand.
	drawnSizes = 64
	// What ordinary clients put with: priority 1024, a minute to run.
	JobPriority = 1024
	jobTTR      = 60
	// A backlog in the tube under load must come after everything the load puts.
	backlogPriority = 2000000000
)

// A Payload holds the put requests built beforehand, and checks the
// bodies that come back.
type Payload struct {
	single [][]byte // one put, one for each drawn size
	stamp  []int    // where its body starts
	batch  []byte   // depth puts, when there is one size
	want   []byte   // the longest body; every body is its prefix
	size   load.BodySize
}

func NewPayload(size load.BodySize, depth int, seed uint64) *Payload {
	p := &Payload{size: size, want: make([]byte, size.Max)}
	for i := range p.want {
		p.want[i] = 'a' + byte(i%26)
	}
	sizes := []int{size.Min}
	if size.Min != size.Max {
		r := rand.New(rand.NewPCG(seed, 1))
		sizes = sizes[:0]
		for range drawnSizes {
			sizes = append(sizes, size.Draw(r))
		}
	}
	for _, n := range sizes {
		req, at := p.put(JobPriority, n)
		p.single, p.stamp = append(p.single, req), append(p.stamp, at)
	}
	if len(sizes) == 1 {
		p.batch = bytes.Repeat(p.single[0], depth)
	}
	return p
}

// Body is the longest body.
func (p *Payload) Body() []byte { return p.want }

// put builds one request and tells where the body starts in it.
func (p *Payload) put(priority, size int) ([]byte, int) {
	req := fmt.Appendf(nil, "put %d 0 %d %d\r\n", priority, jobTTR, size)
	at := len(req)
	req = append(req, p.want[:size]...)
	return append(req, "\r\n"...), at
}

// appendKeyed appends put request i with a key.
func (p *Payload) appendKeyed(buf []byte, i int, priority int, prefix byte, key uint64) []byte {
	body := p.single[i][p.stamp[i]:]
	buf = strconv.AppendInt(append(buf, "put-with "...), int64(len(body)-len("\r\n")), 10)
	buf = strconv.AppendInt(append(buf, " pri="...), int64(priority), 10)
	buf = strconv.AppendInt(append(buf, " ttr="...), jobTTR, 10)
	buf = strconv.AppendUint(append(append(buf, " key="...), prefix), key, 10)
	return append(append(buf, "\r\n"...), body...)
}

// appendStamped appends put request i with the time in its body.
func (p *Payload) appendStamped(buf []byte, i int, t int64) []byte {
	at := len(buf) + p.stamp[i]
	buf = append(buf, p.single[i]...)
	binary.LittleEndian.PutUint64(buf[at:], uint64(t))
	return buf
}

// Intact tells whether a body is one of ours; the stamp may hold anything.
func (p *Payload) Intact(body []byte) bool {
	if len(body) < p.size.Min || len(body) > p.size.Max {
		return false
	}
	from := min(load.StampSize, len(body))
	return bytes.Equal(body[from:], p.want[from:len(body)])
}

func stampOf(body []byte) int64 { return int64(binary.LittleEndian.Uint64(body)) }
