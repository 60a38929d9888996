package repair

import (
	"strings"
	"testing"
)

// Unknown ids are reported as ranges, without those that some part mentions, and none
// above the highest.
func TestUnknownIDs(t *testing.T) {
	var s idSet
	for _, id := range []uint64{3, 4, 9, 5000} {
		s.add(id)
	}
	ranges, n := s.unknown([]idRange{{8, 12}, {0, 6}, {10, 14}, {4990, 1 << 63}, {8000, 30000}}, 20000)
	if text := rangesText(ranges); text != "1-2, 5-6, 8, 10-14, 4990-4999, 5001-20000" || n != 2+2+1+5+10+15000 {
		t.Errorf("%d: %s", n, text)
	}
	for i := range uint64(50) {
		ranges = append(ranges, idRange{30000 + 2*i, 30000 + 2*i})
	}
	if text := rangesText(ranges); !strings.HasSuffix(text, "and 36 more ranges up to 30098") {
		t.Error(text)
	}
}
