package protocol

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var idList = regexp.MustCompile(`\A[ \r\n\t]*([0-9]+(?:[ \r\n\t]+[0-9]+)*)?[ \r\n\t]*\z`)

// referenceIDs reads a list in another way.
func referenceIDs(list string) (ids []uint64, ok bool) {
	m := idList.FindStringSubmatch(list)
	if m == nil {
		return nil, false
	}
	for _, word := range strings.FieldsFunc(m[1], func(r rune) bool { return strings.ContainsRune(" \r\n\t", r) }) {
		n, _ := new(big.Int).SetString(word, 10)
		if !n.IsUint64() {
			return nil, false
		}
		ids = append(ids, n.Uint64())
	}
	return ids, len(ids) <= MostSeveral
}

func FuzzIDs(f *testing.F) {
	for _, s := range []string{
		"", " ", "1", "1 2 3", "\r\n1\t2\r\n", "1,2", "-1", "+1", "1 2x", "x", "1\v2", "18446744073709551615",
		"18446744073709551616", "007", "1\x002",
		strings.Repeat("1 ", MostSeveral), strings.Repeat("1 ", MostSeveral+1),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, list string) {
		want, fits := referenceIDs(list)
		got, ok := IDs([]uint64{7}, []byte(list))
		if ok != fits || ok && !slices.Equal(got[1:], want) {
			t.Errorf("%.200q: %v, %v; want %v, %v", list, got, ok, want, fits)
		}
	})
}
