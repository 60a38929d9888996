package generator

// A Wait is how the generator waits for replies. It decides when a server gets the next
// requests, and what each reply costs it: the README of tools/bench has measurements.
type Wait string

const (
	// WaitSpin never sleeps: it looks for replies without pause, and answers each with the
	// connection's next batch at once. It needs a processor of its own.
	WaitSpin Wait = "spin"
	// WaitEpoll sleeps until some connections have replies, reads them all, then sends all
	// their next batches, and sleeps again.
	WaitEpoll Wait = "epoll"
)
