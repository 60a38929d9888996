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
		{[]file{{"/a", 0}}, false},
		{[]file{{"a/b", 0}}, false}, {[]file{{`a\b`, 0}}, false}, {[]file{{"c:a", 0}}, false}, {[]file{{"a\x00", 0}},
			false}, {[]file{{long, 0}}, false},
		{[]file{{"a", 0}, {"a", 0}}, false}, {[]file{{"a", -1}, {"b", 2}}, false},
		{[]file{{"a", math.MaxInt64}, {"b", math.MaxInt64}, {"c", 3}}, false},
	} {
		sum := int64(0)
		for _, f := range c.files {
			sum += f.Length
		}
		b := must.Get(json.Marshal(c.files))
		if got, err := understood(b, sum); (err == nil) != c.taken || err == nil && !slices.Equal(got, c.files) ||
			err != nil && !errors.Is(err, ErrList) {
			t.Errorf("%v became %v, %v", c.files, got, err)
		}
		if _, err := understood(b, sum+1); !errors.Is(err, ErrList) {
			t.Errorf("%v, of other lengths: %v", c.files, err)
		}
		for cut := range len(b) {
			if _, err := understood(b[:cut], sum); !errors.Is(err, ErrList) {
				t.Errorf("%v, cut at %d: %v", c.files, cut, err)
			}
		}
	}
}
