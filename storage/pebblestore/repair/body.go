package repair

import (
	"errors"
	"fmt"
	"hash/crc32"

	"beanfield/storage"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/format"

	"github.com/cockroachdb/pebble/v2"
)

// learnPiece notes where a piece of a large body is. Deletes of pieces are ignored:
// the job's record says whether they count.
func (s *salvage) learnPiece(kind pebble.InternalKeyKind, key []byte) error {
	id, _, err := format.PieceOf(key)
	if err != nil || !isSet(kind) {
		return err
	}
	s.result.MaxID = max(s.result.MaxID, storage.IDOf(id))
	if at := s.bodies[id]; len(at) == 0 || at[len(at)-1] != s.at {
		s.bodies[id] = append(at, s.at)
	}
	return nil
}

// body puts a job's body together from the tables that have pieces of it. There may be
// some of another job that had the same id and was never put: then the sum, or a length,
// is wrong.
func (s *salvage) body(j *storage.Job, sum uint32) ([]byte, error) {
	pieces := make([]piece, (int(j.Size)+format.PieceSize-1)/format.PieceSize)
	for _, path := range s.bodies[j.ID] {
		s.pieces(path, j.ID, pieces)
	}
	body := make([]byte, 0, j.Size)
	for n, p := range pieces {
		if p.value == nil {
			return nil, fmt.Errorf("%w: piece %d of the body of job %d is missing", storage.ErrCorrupt, n, j.ID)
		}
		body = append(body, p.value...)
	}
	return body, format.CheckBody(j, sum, len(body), crc32.Checksum(body, format.Castagnoli))
}

// piece is the newest that was found.
type piece struct {
	rank  uint64
	value []byte
}

// pieces reads what of one table comes before its damage, of which the first pass has told: without the piece there,
// the body is not whole.
func (s *salvage) pieces(path string, id uint64, into []piece) {
	table, _ := database.Numbered(s.dir.FS.PathBase(path), "", ".sst")
	f, err := s.dir.FS.Open(path)
	if err != nil {
		return
	}
	r, err := database.OpenTable(f, path)
	if err != nil {
		return
	}
	defer r.Close()
	from, _ := format.PieceBounds(id)
	_, _ = database.WalkTable(r, from, func(kind pebble.InternalKeyKind, seq uint64, key, value []byte) error {
		of, at, err := format.PieceOf(key)
		if err != nil || of != id || at >= len(into) {
			return errOtherBody
		}
		rank := s.rank(table, seq)
		if v, err := format.Unseal(key, value); err == nil && isSet(kind) && (into[at].value == nil ||
			rank > into[at].rank) {
			into[at] = piece{rank, append([]byte{}, v...)}
		}
		return nil
	})
}

var errOtherBody = errors.New("the pieces of another body")
