package queue

// fill puts n jobs without looking at the state after each.
func (w *world) fill(u *user, n int, delay uint32) (first uint64) {
	first = w.dir.Last + 1
	for range n {
		w.dir.Last++
		w.bodies[w.dir.Last] = "x"
		u.apply(Op{Kind: Put, ID: w.dir.Last, Pri: 5, Delay: delay, TTR: 600, Data: []byte("x"), Size: 1})
	}
	return first
}
