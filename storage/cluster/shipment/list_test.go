package shipment

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"
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
		{file("a/b", 0), sub("a")}, {{name: "a", length: 1, dir: true}}, {sub("a"), sub("a")},
		{file("a", -1), file("b", 2)}, {file("a", math.MaxInt64), file("b", math.MaxInt64), file("c", 3)},
	} {
		sum := int64(0)
		for _, e := range bad {
			sum += e.length
		}
		if got, err := decodeList(encodeList(bad), sum); !errors.Is(err, ErrList) {
			t.Errorf("%v is taken as %v, %v", bad, got, err)
		}
	}
	if _, err := decodeList(binary.AppendUvarint(nil, math.MaxUint64), 0); !errors.Is(err, ErrList) {
		t.Error("a list of everything:", err)
	}
}
