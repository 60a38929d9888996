package shipment

import (
	"encoding/binary"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/storage/must"

	"github.com/cespare/xxhash/v2"
)

// encoded is the message of a chunk.
func encoded(c chunk) []byte {
	b := append(c.head(nil), c.data...)
	for _, sum := range c.sums {
		b = binary.LittleEndian.AppendUint64(b, sum)
	}
	return seal(b)
}

// TestHostileSender holds SP1 and SP3: a sender says what none of ours does.
func TestHostileSender(t *testing.T) {
	list := encodeList([]entry{{name: "a", length: 3}})
	right := append(slices.Clone(list), "abc"...)
	sums := []uint64{xxhash.Sum64(list), xxhash.Sum64String("abc")}
	bad := encodeList([]entry{{name: "../a", length: 3}})
	stream := func(b []byte, list, size int, sums ...uint64) chunk {
		return chunk{shape: shape{size, int64(list), int64(len(b))}, sums: sums, data: b}
	}
	for what, test := range map[string]struct {
		c     chunk
		wants error
	}{
		"what is right":         {stream(right, len(list), 100, sums...), nil},
		"a wrong hash":          {stream(right, len(list), 100, sums[0], 1), ErrBroken},
		"a hash is missing":     {stream(right, len(list), 100, sums[0]), ErrBroken},
		"a wrong list's hash":   {stream(right, len(list), 100, 1, sums[1]), ErrBroken},
		"a list that is longer": {stream(right, len(list)+1, 100, sums...), ErrList},
		"a name outside":        {stream(append(bad, "abc"...), len(bad), 100, xxhash.Sum64(bad), sums[1]), ErrList},
		"no size":               {stream(right, len(list), 0, sums...), ErrSilent},
		"a huge size":           {stream(right, len(list), largestChunk+1, sums...), ErrSilent},
		"no list":               {stream(right, 0, 100, sums...), ErrSilent},
		"less than its list":    {stream(right, len(right)+1, 100, sums...), ErrSilent},
		"more chunks to come":   {stream(right, len(list), len(right)-1, sums...), ErrSilent},
		"a chunk of nothing":    {chunk{shape: shape{100, 6, 9}, number: 1}, ErrSilent},
		"a chunk far behind":    {chunk{shape: shape{2, 6, 9}, number: 1 << 63}, ErrSilent},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := newNetwork(1)
			_, _ = n.Listen("P.X", func(reply string, _ []byte) { _ = n.Send(reply, "", encoded(test.c)) })
			into := filepath.Join(t.TempDir(), "into")
			_, err := get(t.Context(), n, "P", "X", into, small())
			if !errors.Is(err, test.wants) {
				t.Errorf("%s: %v", what, err)
			}
			if err == nil {
				wants(t, into, map[string]string{"a": "abc"})
			} else {
				wants(t, into, nil)
			}
		})
	}
}

// TestUselessSender holds SP5: a sender that is heard, and brings nothing, ends the fetch, too.
func TestUselessSender(t *testing.T) {
	first := encoded(chunk{shape: shape{10, 100, 200}, data: make([]byte, 10)})
	for what, answer := range map[string][]byte{"still": seal(begin(nil, kindStill)), "the same chunk": first, "another kind": seal(begin(nil, 99))} {
		synctest.Test(t, func(t *testing.T) {
			n, begun := newNetwork(1), time.Now()
			_, _ = n.Listen("P.X", func(reply string, _ []byte) { _ = n.Send(reply, "", answer) })
			_, err := get(t.Context(), n, "P", "X", filepath.Join(t.TempDir(), "into"), small())
			if took := time.Since(begun); !errors.Is(err, ErrSilent) || took > (hunger+1)*defaultSilence {
				t.Errorf("%s: %v after %v", what, err, took)
			}
		})
	}
}

// SP9: who is of another version is told from who is silent, whichever of both is newer.
func TestVersions(t *testing.T) {
	newer := seal([]byte{version + 1, kindStill})
	for what, subject := range map[string]string{"of an order": "P.desk", "of a chunk": "P.X"} {
		synctest.Test(t, func(t *testing.T) {
			n, into := newNetwork(1), filepath.Join(t.TempDir(), "into")
			_, _ = n.Listen(subject, func(reply string, _ []byte) { _ = n.Send(reply, "", newer) })
			_, err := have(t.Context(), n, "P", "", into, small())
			if subject == "P.X" {
				_, err = get(t.Context(), n, "P", "X", into, small())
			}
			if !errors.Is(err, ErrVersion) || !strings.HasSuffix(err.Error(), ": 2; this program knows 1") {
				t.Errorf("%s: %v", what, err)
			}
			wants(t, into, nil)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		n, m, heard := newNetwork(1), &maker{}, []byte(nil)
		d := must.Get(serve(n, "P", m.make, small()))
		_, _ = n.Listen("INBOX", func(_ string, data []byte) { heard = data })
		_ = n.Send("P.desk", "INBOX", seal([]byte{version + 1, kindOrder}))
		synctest.Wait()
		time.Sleep(time.Second)
		d.Close()
		synctest.Wait()
		if kind, _, ok := opened(heard); !ok || kind != kindFailed || m.made.Load() != 0 {
			t.Errorf("who orders in another version hears %q", heard)
		}
	})
}

// TestUnasked holds SP4: what is beyond the window is not kept, and chunks of two shipments end the fetch.
func TestUnasked(t *testing.T) {
	of := func(number uint64, total int64) []byte {
		return encoded(chunk{shape: shape{10, 1000, total}, number: number, data: make([]byte, 10)})
	}
	f := &fetch{o: small().filled(), held: map[uint64]chunk{}}
	for number := uint64(1); number < 50; number++ {
		for range 2 {
			_, known := f.held[number]
			if heard, fed, err := f.take(message{data: of(number, 2000)}); !heard || fed != (number < window && !known) || err != nil {
				t.Fatal(number, heard, fed, err)
			}
		}
	}
	if len(f.held) != window-1 {
		t.Errorf("%d chunks are kept", len(f.held))
	}
	if _, _, err := f.take(message{data: of(0, 2010)}); !errors.Is(err, ErrBroken) {
		t.Error("a chunk of another shipment:", err)
	}
}
