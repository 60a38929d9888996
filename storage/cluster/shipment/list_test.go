package shipment

import (
	"encoding/binary"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/cespare/xxhash/v2"
)

// TestList holds SP3: which lists are taken.
func TestList(t *testing.T) {
	file := func(name string, length int64) entry { return entry{name: name, length: length} }
	sub := func(name string) entry { return entry{name: name, dir: true} }
	for _, good := range [][]entry{
		{},
		{file("a", 0)},
		{file("a", 5), sub("b"), file("b/c", 7), sub("b/d"), file("b/d/..e", 1), file("bb", 2)},
	} {
		sum := int64(0)
		for _, e := range good {
			sum += e.length
		}
		b := encodeList(good)
		if got, err := decodeList(b, sum); err != nil || !slices.Equal(got, good) {
			t.Errorf("%v became %v, %v", good, got, err)
		}
		for cut := range len(b) {
			if _, err := decodeList(b[:cut], sum); !errors.Is(err, ErrList) {
				t.Errorf("%v, cut at %d: %v", good, cut, err)
			}
		}
		if _, err := decodeList(append(b, 0), sum); !errors.Is(err, ErrList) {
			t.Errorf("%v and more: %v", good, err)
		}
		if _, err := decodeList(b, sum+1); !errors.Is(err, ErrList) {
			t.Errorf("%v, of other lengths: %v", good, err)
		}
	}
	for _, bad := range [][]entry{
		{file("", 0)}, {file(".", 0)}, {file("..", 0)}, {sub("..")}, {file("../a", 0)}, {file("/a", 0)}, {file("a//b", 0)},
		{sub("a"), file("a/../b", 0)}, {sub("a"), file("a/./b", 0)}, {file(`a\b`, 0)}, {file("c:a", 0)}, {file("a\x00", 0)},
		{file("a/b", 0)}, {file("a", 0), file("a/b", 0)}, {file("a", 0), file("a", 0)}, {sub("a"), file("a", 0)},
		{file("a/b", 0), sub("a")}, {{name: "a", length: 1, dir: true}},
		{file("a", -1), file("b", 2)}, {file("a", math.MaxInt64), file("b", math.MaxInt64), file("c", 3)},
	} {
		if got, err := decodeList(encodeList(bad), 1); !errors.Is(err, ErrList) {
			t.Errorf("%v is taken as %v, %v", bad, got, err)
		}
	}
	if _, err := decodeList(binary.AppendUvarint(nil, math.MaxUint64), 0); !errors.Is(err, ErrList) {
		t.Error("a list of everything:", err)
	}
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
	} {
		synctest.Test(t, func(t *testing.T) {
			n := newNetwork(1)
			_, _ = n.Listen("P.X", func(reply string, _ []byte) {
				b := append(test.c.head(nil), test.c.data...)
				for _, sum := range test.c.sums {
					b = binary.LittleEndian.AppendUint64(b, sum)
				}
				_ = n.Send(reply, "", seal(b))
			})
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
