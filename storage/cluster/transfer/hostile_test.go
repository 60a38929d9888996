package transfer

import (
	"context"
	"encoding/binary"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// chunkOf is the message of a chunk.
func chunkOf(number uint64, data string) []byte {
	return seal(append(binary.LittleEndian.AppendUint64(begin(nil, kindChunk), number), data...))
}

// SP1 and SP3: a sender says what none of ours does. SP5: one that is heard, and brings nothing, ends the fetch, too.
func TestHostileSender(t *testing.T) {
	const list, outside = `[{"name":"a","length":3}]`, `[{"name":"../a","length":3}]`
	right := shape{100, int64(len(list)), int64(len(list)) + 3, nil}
	other := func(change func(s *shape)) shape {
		s := right
		change(&s)
		return s
	}
	for what, c := range map[string]struct {
		ready  []byte
		chunks string // all in one
		wants  error
	}{
		"what is right":         {ready(right), list + "abc", nil},
		"a list that is longer": {ready(other(func(s *shape) { s.List++ })), list + "abc", ErrList},
		"a longer stream":       {ready(other(func(s *shape) { s.Total++ })), list + "abcd", ErrList},
		"a name outside":        {ready(other(func(s *shape) { s.List, s.Total = s.List+3, s.Total+3 })), outside + "abc", ErrList},
		"no size":               {ready(other(func(s *shape) { s.Size = 0 })), "", ErrList},
		"a huge size":           {ready(other(func(s *shape) { s.Size = largestChunk + 1 })), "", ErrList},
		"no list":               {ready(other(func(s *shape) { s.List = 0 })), "", ErrList},
		"a huge list":           {ready(other(func(s *shape) { s.List, s.Total = mostList+1, mostList+1 })), "", ErrList},
		"less than its list":    {ready(other(func(s *shape) { s.Total = s.List - 1 })), "", ErrList},
		"no shape":              {message(kindReady, "x"), "", ErrList},
		"a short chunk":         {ready(right), list, ErrSilent},
		"a long chunk":          {ready(right), list + "abcd", ErrSilent},
		"still":                 {message(kindStill, ""), "", ErrSilent},
		"another kind":          {message(99, ""), "", ErrSilent},
	} {
		synctest.Test(t, func(t *testing.T) {
			n, begun := newNetwork(1), time.Now()
			_, _ = n.Listen("P.desk", func(reply string, m []byte) {
				if kind, _, _ := opened(m); kind != kindAsk || c.chunks == "" {
					_ = n.Send(reply, "", c.ready)
				} else {
					for _, number := range []uint64{1 << 63, 1, 0} {
						_ = n.Send(reply, "", chunkOf(number, c.chunks))
					}
				}
			})
			o, into := small(), filepath.Join(t.TempDir(), "into")
			if what == "still" { // that is no reason to give up, but the context's end
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				if _, err := get(ctx, n, "P", "", into, o); err == nil || time.Since(begun) != time.Hour {
					t.Errorf("%s: %v after %v", what, err, time.Since(begun))
				}
				return
			}
			_, err := get(t.Context(), n, "P", "", into, o)
			if took := time.Since(begun); !errors.Is(err, c.wants) || took > (hunger+1)*defaultSilence {
				t.Errorf("%s: %v after %v", what, err, took)
			}
			if err == nil {
				wants(t, into, map[string]string{"a": "abc"})
			} else {
				wants(t, into, nil)
			}
		})
	}
}

// SP5: one that talks all the time, asked or not, and brings nothing, ends the fetch as well.
func TestTalkativeSender(t *testing.T) {
	for what, says := range map[string][]byte{
		"still": message(kindStill, ""), "the same again": ready(shape{100, 25, 28, nil}), "a wrong chunk": chunkOf(0,
			"zzz"),
	} {
		synctest.Test(t, func(t *testing.T) {
			n, begun, talks, over := newNetwork(1), time.Now(), false, make(chan struct{})
			defer close(over)
			_, _ = n.Listen("P.desk", func(reply string, _ []byte) {
				if talks {
					return
				}
				talks = true
				_ = n.Send(reply, "", ready(shape{100, 25, 28, nil}))
				go func() {
					for {
						select {
						case <-over:
							return
						case <-time.After(100 * time.Millisecond):
							_ = n.Send(reply, "", says)
						}
					}
				}()
			})
			_, err := get(t.Context(), n, "P", "", filepath.Join(t.TempDir(), "into"), small())
			if took := time.Since(begun); !errors.Is(err, ErrSilent) || took > (hunger+1)*defaultSilence {
				t.Errorf("%s: %v after %v", what, err, took)
			}
		})
	}
}

// SP9: who is of another version is told from who is silent, whichever of both is newer.
func TestVersions(t *testing.T) {
	newer := seal([]byte{version + 1, kindStill})
	for what, first := range map[string][]byte{"of an order": newer, "of a chunk": ready(shape{100, 10, 1000, nil})} {
		synctest.Test(t, func(t *testing.T) {
			n, into, asked := newNetwork(1), filepath.Join(t.TempDir(), "into"), 0
			_, _ = n.Listen("P.desk", func(reply string, _ []byte) {
				if asked++; asked == 1 {
					_ = n.Send(reply, "", first)
				} else {
					_ = n.Send(reply, "", newer)
				}
			})
			if _, err := get(t.Context(), n, "P", "", into, small()); !errors.Is(err, ErrVersion) ||
				!strings.HasSuffix(err.Error(), ": 3; this program knows 2") {
				t.Errorf("%s: %v", what, err)
			}
			wants(t, into, nil)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		n, m, heard := newNetwork(1), &maker{}, []byte(nil)
		s := n.desk(t, m, small())
		_, _ = n.Listen("INBOX", func(_ string, data []byte) { heard = data })
		_ = n.Send("P.desk", "INBOX", seal([]byte{version - 1, kindOrder}))
		time.Sleep(time.Second)
		synctest.Wait()
		m.closes(t, s)
		if kind, _, err := opened(heard); err != nil || kind != kindFailed || m.made.Load() != 0 {
			t.Errorf("who orders in another version hears %q", heard)
		}
	})
}

// SP4: what was not asked for is not kept.
func TestUnasked(t *testing.T) {
	f := &fetch{o: small().filled(), held: map[uint64][]byte{}, shape: shape{10, 1000, 2000, nil}, chunks: 200,
		asked: window}
	for number := uint64(1); number < 50; number++ {
		for range 2 {
			_, known := f.held[number]
			if heard, fed, err := f.take(arrival{data: chunkOf(number, "0123456789")}); !heard ||
				fed != (number < window && !known) || err != nil {
				t.Fatal(number, heard, fed, err)
			}
		}
	}
	if len(f.held) != window-1 {
		t.Errorf("%d chunks are kept", len(f.held))
	}
}
