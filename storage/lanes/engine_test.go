package lanes

import (
	"slices"

	"beanfield/storage/turns"
)

// engine is what the engine promises of two lanes, and nothing more: requests come to it when they
// come, and a read may miss the newest records.
type engine [2]stream

type stream struct {
	records []Entry // all that have landed, also those that are purged
	purged  int
}

// message is a request that is under way, or an answer.
type message struct {
	from     int    // the node that asks
	life     int    // that of the node: an answer to one that has crashed is lost
	Request         // of an answer, the request
	anywhere bool   // an append that expects nothing
	purge    uint64 // up to this place, if it is not 0
	answer   bool
	appended uint64   // where
	refused  bool     // then Place is where the lane ends
	first    uint64   // of a read
	read     [][]byte // likewise
}

// has is the place before the last record that has a number up to this one; 0 if there is none.
func (s *stream) has(number uint64) uint64 {
	for i := len(s.records); i > s.purged; i-- {
		if n := s.records[i-1].Record.Number; n > 0 && n <= number {
			return uint64(i - 1)
		}
	}
	return 0
}

// run carries out a request. What a read misses is missing at the end.
func (g *engine) run(m message, miss int) (answer message, landed *Entry) {
	answer = m
	answer.answer = true
	s := &g[m.Lane]
	end := uint64(len(s.records))
	switch {
	case m.purge > 0:
		s.purged = max(s.purged, min(int(m.purge), len(s.records)))
	case m.Data == nil:
		answer.first = uint64(s.purged) + 1
		from := max(m.Place, uint64(s.purged))
		for i := from; i < max(from, end-min(end, uint64(miss))); i++ {
			answer.read = append(answer.read, s.records[i].Data)
		}
	case m.Place != end && !m.anywhere:
		answer.refused, answer.Place = true, end
	default:
		e, err := parse(origin, end+1, m.Data)
		if err != nil {
			panic(err)
		}
		s.records = append(s.records, e)
		answer.appended = end + 1
		landed = &s.records[end]
	}
	return answer, landed
}

func (g *engine) clone() (c engine) {
	for i, s := range g {
		c[i] = stream{slices.Clone(s.records), s.purged}
	}
	return c
}

// base is the hash before the first record of a log that goes on from an import.
const base = 4711

// origin0 is the place before the first record.
var origin0 = turns.Place{Origin: origin}

func recordOf(epoch, number, before uint64, text string) []byte {
	b, _ := turns.Append(nil, turns.Record{Origin: origin, Epoch: epoch, Number: number, Before: before,
		Turns: []byte(text)})
	return b
}

func foreign() []byte {
	b, _ := turns.Append(nil, turns.Record{Origin: origin + 1, Epoch: 1, Number: 1})
	return b
}

func flipped(b []byte) []byte {
	b[len(b)/2] ^= 1
	return b
}
