package cells

// linear says how many buckets a hash has that grows and shrinks by one bucket at a time, so that no command ever
// pays for a rehash. Whoever has it moves the records.
type linear struct {
	level uint // buckets are 1<<level + split
	split uint32
}

// Len is how many buckets there are.
func (l *linear) Len() uint32 { return 1<<l.level + l.split }

// Of is the bucket of a record with this hash, of which the lowest bits count.
func (l *linear) Of(hash uint32) uint32 {
	at := hash & (1<<l.level - 1)
	if at < l.split {
		at = hash & (1<<(l.level+1) - 1)
	}
	return at
}

// widen adds a bucket, for some of the records that another one has: for those whose hashes have the bit of this
// level.
func (l *linear) widen() (from, to uint32, bit uint) {
	from, to, bit = l.split, l.Len(), l.level
	if l.split++; l.split == 1<<l.level {
		l.level, l.split = l.level+1, 0
	}
	return from, to, bit
}

// narrow is widen backwards: the last bucket joins the one it came from.
func (l *linear) narrow() (last, into uint32) {
	if l.split == 0 {
		l.level, l.split = l.level-1, 1<<(l.level-1)
	}
	l.split--
	return l.Len(), l.split
}
