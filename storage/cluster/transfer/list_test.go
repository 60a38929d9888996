package transfer

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"

	"beanfield/storage/must"
)

// SP3: which lists are taken.
func TestList(t *testing.T) {
	long := string(make([]byte, 256))
	for _, c := range []struct {
		files []file
		taken bool
	}{
		{[]file{}, true}, {[]file{{"a", 0}}, true}, {[]file{{"a", 5}, {"..e", 7}, {"a b", 1}, {"bb", 2}}, true},
		{[]file{{"", 0}}, false}, {[]file{{".", 0}}, false}, {[]file{{"..", 0}}, false}, {[]file{{"../a", 0}}, false},
		{[]file{{"/a", 0}}, false}, {[]file{{"a/b", 0}}, false}, {[]file{{`a\b`, 0}}, false},
		{[]file{{"c:a", 0}}, false},
		{[]file{{"a\x00", 0}}, false}, {[]file{{long, 0}}, false}, {[]file{{"a", 0}, {"a", 0}}, false},
		{[]file{{"a", -1}, {"b", 2}}, false}, {[]file{{"a", math.MaxInt64}, {"b", math.MaxInt64}, {"c", 3}}, false},
	} {
		for size, fits := range map[int64]bool{0: false, 1: true, largestChunk: true, largestChunk + 1: false} {
			b := must.Get(json.Marshal(list{Chunk: size, Files: c.files}))
			got, err := understood(b)
			if taken := c.taken && fits; (err == nil) != taken || taken && !slices.Equal(got.Files, c.files) ||
				!taken && !errors.Is(err, ErrList) {
				t.Errorf("%v in chunks of %d became %v, %v", c.files, size, got.Files, err)
			}
			for cut := range len(b) {
				if _, err := understood(b[:cut]); !errors.Is(err, ErrList) {
					t.Errorf("%v, cut at %d: %v", c.files, cut, err)
				}
			}
		}
	}
	if _, err := understood(must.Get(json.Marshal(list{Chunk: 1, Files: make([]file, mostFiles+1)}))); !errors.Is(err,
		ErrList) {
		t.Error("too many files are taken:", err)
	}
}
