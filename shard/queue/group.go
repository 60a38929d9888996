package queue

// group is a set of consumers that share the items of a queue.
type group struct {
	name string
}
