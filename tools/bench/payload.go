package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A bodySize is one size, or a range from which sizes are drawn so that each
// doubling is equally likely: many small jobs, a few large ones.
type bodySize struct{ Min, Max int }

func (b bodySize) String() string {
	if b.Min == b.Max {
		return strconv.Itoa(b.Min)
	}
	return fmt.Sprintf("%d-%d", b.Min, b.Max)
}

// Set reads "100" or "10-65535".
func (b *bodySize) Set(s string) error {
	low, high, ranged := strings.Cut(s, "-")
	if !ranged {
		high = low
	}
	var err error
	if b.Min, err = strconv.Atoi(low); err != nil {
		return err
	}
	if b.Max, err = strconv.Atoi(high); err != nil {
		return err
	}
	if b.Min < 0 || b.Max < b.Min || b.Max > 1<<26 {
		return fmt.Errorf("want SIZE or MIN-MAX bytes, at most %d", 1<<26)
	}
	return nil
}

func (b bodySize) draw(r *rand.Rand) int {
	low, high := math.Log(float64(max(b.Min, 1))), math.Log(float64(b.Max+1))
	n := int(math.Exp(low + r.Float64()*(high-low)))
	return min(max(n, b.Min), b.Max)
}

// MarshalText and UnmarshalText show the size in JSON the way the flag takes it.
func (b bodySize) MarshalText() ([]byte, error)     { return []byte(b.String()), nil }
func (b *bodySize) UnmarshalText(text []byte) error { return b.Set(string(text)) }

const (
	// stampSize bytes at the start of a body may carry the time it was put.
	stampSize = 8
	// drawnSizes is how many sizes are drawn from a range and built beforehand.
	drawnSizes = 64
	// What ordinary clients put with: priority 1024, a minute to run.
	jobPriority = 1024
	jobTTR      = 60
	// A backlog in the tube under load must come after everything the load puts.
	backlogPriority = 2000000000
)

// A payload holds the put requests built beforehand, and knows what a body that
// comes back must look like.
type payload struct {
	single [][]byte // one put, one for each drawn size
	stamp  []int    // where its body starts
	batch  []byte   // depth puts, when there is one size
	want   []byte   // the longest body; every body is its prefix
	size   bodySize
}

func newPayload(size bodySize, delay, depth int, seed uint64) *payload {
	p := &payload{size: size, want: make([]byte, size.Max)}
	for i := range p.want {
		p.want[i] = 'a' + byte(i%26)
	}
	sizes := []int{size.Min}
	if size.Min != size.Max {
		r := rand.New(rand.NewPCG(seed, 1))
		sizes = sizes[:0]
		for range drawnSizes {
			sizes = append(sizes, size.draw(r))
		}
	}
	for _, n := range sizes {
		req, at := p.put(jobPriority, delay, n)
		p.single, p.stamp = append(p.single, req), append(p.stamp, at)
	}
	if len(sizes) == 1 {
		p.batch = bytes.Repeat(p.single[0], depth)
	}
	return p
}

// put builds one request and tells where the body starts in it.
func (p *payload) put(priority, delay, size int) ([]byte, int) {
	req := fmt.Appendf(nil, "put %d %d %d %d\r\n", priority, delay, jobTTR, size)
	at := len(req)
	req = append(req, p.want[:size]...)
	return append(req, "\r\n"...), at
}

// appendStamped appends put request i with the time in its body.
func (p *payload) appendStamped(buf []byte, i int, t int64) []byte {
	at := len(buf) + p.stamp[i]
	buf = append(buf, p.single[i]...)
	binary.LittleEndian.PutUint64(buf[at:], uint64(t))
	return buf
}

// intact tells whether a body is one of ours; the stamp may hold anything.
func (p *payload) intact(body []byte) bool {
	if len(body) < p.size.Min || len(body) > p.size.Max {
		return false
	}
	from := min(stampSize, len(body))
	return bytes.Equal(body[from:], p.want[from:len(body)])
}

func stampOf(body []byte) int64 { return int64(binary.LittleEndian.Uint64(body)) }
