package jetstream

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"beanfield/storage/turns"
)

// readFrom finds the place on a lane behind which a node must read whose store has everything up to a number: before a
// record with that number, or an older one. It looks at the last record, then at the one before that, then two before
// that, four, and so on. 0 is the lane's start, and always right. It tries until it is answered, or the context ends.
func (s *Shard) readFrom(ctx context.Context, lane int, number uint64) uint64 {
	question := fmt.Sprintf(`{"last_by_subj":%q}`, s.subjects[lane])
	for step := uint64(1); ; {
		m, err := s.insist(ctx, apiPrefix+"DIRECT.GET."+s.streams[lane], []byte(question), 3*readAgain)
		if err != nil { // nobody listens, or the connection is lost
			select {
			case <-ctx.Done():
				return 0
			case <-time.After(doubt):
			}
			continue
		}
		seq, err := strconv.ParseUint(m.Header.Get("Nats-Sequence"), 10, 64)
		r, _, _, bad := turns.Decode(m.Data)
		switch {
		// there is no such record, or whoever reads the lane will say what is wrong
		case err != nil || bad != nil || r.Origin != s.origin:
			return 0
		case r.Number > 0 && r.Number <= number:
			return seq - 1
		case seq <= step:
			return 0
		}
		question, step = fmt.Sprintf(`{"seq":%d}`, seq-step), 2*step
	}
}
