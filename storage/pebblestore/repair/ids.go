package repair

import (
	"fmt"
	"slices"
	"strings"
)

// idSet is a set of ids, of which most that are near each other are in it.
type idSet struct {
	pages map[uint64]*[64]uint64
}

func (s *idSet) add(id uint64) {
	if s.pages == nil {
		s.pages = make(map[uint64]*[64]uint64)
	}
	p := s.pages[id>>12]
	if p == nil {
		p = new([64]uint64)
		s.pages[id>>12] = p
	}
	p[id>>6&63] |= 1 << (id & 63)
}

func (s *idSet) has(id uint64) bool {
	p := s.pages[id>>12]
	return p != nil && p[id>>6&63]&(1<<(id&63)) != 0
}

// idRange is from the first to the last of some ids.
type idRange struct{ from, to uint64 }

// merge leaves no id in two ranges, and none above last.
func merge(ranges []idRange, last uint64) (merged []idRange) {
	slices.SortFunc(ranges, func(a, b idRange) int {
		if a.from < b.from {
			return -1
		}
		return 1
	})
	for _, r := range ranges {
		r.from, r.to = max(r.from, 1), min(r.to, last)
		if n := len(merged); n > 0 && r.from <= merged[n-1].to {
			r.from = merged[n-1].to + 1
		}
		if r.from <= r.to {
			merged = append(merged, r)
		}
	}
	return merged
}

// unknown are the ids in some ranges that no readable part mentions.
func (s *idSet) unknown(ranges []idRange, last uint64) (unknown []idRange, n uint64) {
	add := func(from, to uint64) {
		n += to - from + 1
		if k := len(unknown); k > 0 && unknown[k-1].to == from-1 {
			unknown[k-1].to = to
		} else {
			unknown = append(unknown, idRange{from, to})
		}
	}
	for _, r := range merge(ranges, last) {
		for id := r.from; id <= r.to; id++ {
			if s.pages[id>>12] == nil {
				end := min(r.to, id|4095)
				add(id, end)
				id = end
			} else if !s.has(id) {
				add(id, id)
			}
		}
	}
	return unknown, n
}

// rangesText names ids, all if there are not too many.
func rangesText(ranges []idRange) string {
	const most = 20
	var names []string
	for i, r := range ranges {
		switch {
		case i == most:
			names = append(names, fmt.Sprintf("and %d more ranges up to %d", len(ranges)-most,
				ranges[len(ranges)-1].to))
			return strings.Join(names, ", ")
		case r.from == r.to:
			names = append(names, fmt.Sprint(r.from))
		default:
			names = append(names, fmt.Sprintf("%d-%d", r.from, r.to))
		}
	}
	return strings.Join(names, ", ")
}
