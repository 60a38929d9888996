package cluster

// Tenure is a time during which a node owns all shards.
type Tenure struct {
	node  *Node
	lost  chan struct{}
	leave chan struct{}
	why   error
}

// Append appends turns of a shard. It returns when they count, and the node's copy has them; number is
// that of their last record. After an error nobody knows whether they count, and the tenure is
// over. The bytes are free again when it returns.
func (t *Tenure) Append(shard int, b []byte) (number uint64, err error) {
	return 0, ErrRefused
}

// Holds tells whether answers may leave now. It is cheap.
func (t *Tenure) Holds() bool { return false }

// Lost is closed when the tenure is over at once: no answer may leave any more. End is to be called
// then, too.
func (t *Tenure) Lost() <-chan struct{} { return t.lost }

// Why says what has ended the tenure, once Lost is closed.
func (t *Tenure) Why() error { return t.why }

// Leave is closed when somebody else is to own the shards: the server stops in order, and calls
// End.
func (t *Tenure) Leave() <-chan struct{} { return t.leave }

// End ends the tenure: nothing is appended or answered any more. The successor begins at once. It
// may be called at any time, and more than once.
func (t *Tenure) End() {}
