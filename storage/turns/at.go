package turns

// At is where bytes of turns are in a log: in which of its files, counted in the order in
// which they are used, and at which offset. A byte n further on in the same record is at At+n.
type At uint64

// NewAt makes an At.
func NewAt(seq uint32, offset int64) At { return At(seq)<<32 | At(offset) }

// Seq is the number of the file's use.
func (a At) Seq() uint32 { return uint32(a >> 32) }

// Offset is that in the file.
func (a At) Offset() int64 { return int64(uint32(a)) }
