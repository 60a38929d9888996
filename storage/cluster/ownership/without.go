package ownership

// without leaves rules out. Only tests do, to see that each is needed.
type without struct {
	lease    bool // O1: a term begins when the drivers own the shards, and lasts until it is lost
	quiet    bool // O8: a node stands though others hear an owner
	ended    bool // O3: a node stands before its server has ended the term before
	patience bool // O7: a node stands before it has read the lanes, and a candidacy has the same time each time
	told     bool // O5: a blank node is shown what was appended before it had told its life
}
