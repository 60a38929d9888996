package ownership

// without leaves rules out. Only tests do, to see that each is needed.
type without struct {
	lease    bool // O1: a term begins when the drivers own the shards, and lasts until it is lost
	quiet    bool // O8: a node stands though others hear an owner
	patience bool // O7: a node stands before it has read the lanes, and a candidacy has the same time each time
}
