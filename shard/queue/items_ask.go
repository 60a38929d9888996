package queue

import "beanfield/shard/queue/policy"

// What names an operation of the queue service.
type What uint8

// The operations. They name their queue by the tube's name; a rear queue is the tube
// whose name ends in RearSuffix.
const (
	AskPut       What = iota + 1 // adds an item: Op.Data or Op.Parts, Op.Size, Op.Pri; Tags
	AskGet                       // finds items, and takes them with Take
	AskUnget                     // the get of Getter no longer waits
	AskWatch                     // makes Receiver the consumer's connection
	AskLeave                     // Receiver has gone
	AskSent                      // Receiver has sent delivery batches that weigh Bytes, and gives back Spent
	AskCommit                    // Indexes are done, for Group
	AskNegative                  // Group.User cannot process Indexes: Code, Reason
	AskDelete                    // ends Indexes for all groups
	AskTruncate                  // ends all items before Index for all groups
	AskSearch                    // where the item Index is, as Group sees it
	AskCount                     // how many items have Tags, and Op.Pri with ByPri
	AskEnd                       // no more items; with Force the queue is emptied too
	AskAttrs                     // what the queue is like
	AskDropGroup                 // removes Group
	askFetched                   // bodies that a delivery batch lacked have been read
)

// NewestIndex is an index that no item has. A watch from there on is sent only what is
// put later, and a get finds the newest items.
const NewestIndex = ^uint64(0)

// Ask is what an operation of the queue service has beyond what Op has, and its
// answer. Op.Kind is Service, and Op.ID the index of a put or search.
type Ask struct {
	What  What
	Queue string // the tube
	Group string
	User  string
	// Limits of this queue; never nil. They never change, but a later operation may
	// bring others, which then hold for the queue.
	Limits *policy.Limits

	Tags   Tags   // put: the item's; get, watch and count: which items
	Index  uint64 // get, watch, truncate: where to begin
	Length int    // get: how many at most
	Take   bool   // get: end what is found, unless somebody holds it
	Wait   bool   // get: if nothing is found Getter is told, once, when to try again
	Getter Getter

	Receiver   Receiver         // watch, leave, sent: the consumer's connection
	Window     int              // watch: how many items may be pending
	IndexOnly  bool             // watch: no bodies
	AutoCommit bool             // watch: items are done when they are pushed
	Closes     bool             // watch: the connection ends when the consumer is told DeliveryBatch.Over
	Bytes      int              // sent: their Weight
	Spent      []*DeliveryBatch // sent: the shard may use these again, but not the slice

	Indexes []uint64 // commit, negative, delete
	Code    string   // negative; CodeShutdown ends pushes until the next watch
	Reason  string
	Force   bool // end
	ByPri   bool // count

	fetched *fetched // askFetched
	group   *group   // a group that is being dropped

	// Answers. They are the asker's when the batch is complete.
	Found  *DeliveryBatch // get
	Cut    bool           // get: there are fewer than Length because their bodies are large
	Count  int            // count
	Search SearchInfo
	Attrs  *Attrs

	// How far an operation that takes several turns has come. All but kept are 0 again
	// when the operation has ended.
	step  getStep
	begun bool
	from  uint64 // the id to go on with
	at    int    // the item of Found or Indexes to go on with
	kept  int    // items of Found that were taken
}

// CodeShutdown is the code of a negative from a consumer that is about to stop.
const CodeShutdown = "Shutdown"

// SearchInfo says where an item is, as a group sees it.
type SearchInfo struct {
	Consumer   string // GROUP.USER that has it, or ""
	Pending    bool
	WaitCount  int // items that come before it
	Deliveries int
	Code       string // of the last negative
	Reason     string
}

// Status words of a consumer.
const (
	StatusRunning  = "Running"
	StatusLeaving  = "Leaving"
	StatusExit     = "Exit"
	StatusComplete = "Complete"
)

// Attrs are the attributes of a queue. Lists are cut at ListMost; totals are not.
type Attrs struct {
	Length      int    // items that have not ended
	Rear        int    // the same, of the rear queue
	First, Last uint64 // indexes of items; 0 if there is none, or it is not known
	Ended       bool
	Consumers   []ConsumerInfo
	Groups      []GroupInfo

	ConsumersTotal, GroupsTotal int
}

// ListMost bounds the lists of Attrs.
const ListMost = 256

// ConsumerInfo is a consumer in Attrs.
type ConsumerInfo struct {
	Group, User   string
	Index         uint64 // the last that it was sent
	Pending       int
	Status        string
	Idle          int64 // nanoseconds since it was last heard of
	Window, Slots int
	AutoCommit    bool
	Tags          Tags
}

// GroupInfo is a group in Attrs. Index and Delivered say what has been sent since the process
// began: to log them would be a write for each push, and what was logged only now and then
// would be wrong after a crash.
type GroupInfo struct {
	Group     string
	Index     uint64 // the highest that was sent
	Pending   int
	Delivered uint64 // how many were sent
	Consumers int
}

// Getter is a get that waits. TryAgain is called once, by any goroutine, when what the
// get waits for has been committed; it must not block.
type Getter interface{ TryAgain() }

// Receiver is a consumer's connection. Its methods are called by any goroutine, and
// must not block.
type Receiver interface {
	// Receive takes over what a turn has pushed, in the order of the turns, when that
	// turn has been committed. This may be before the watch itself has been answered.
	// If ok is false, the log has failed, and nothing may be sent. AskSent gives the
	// batch back, in Spent.
	Receive(p *DeliveryBatch, ok bool)
	// Replaced says that another connection of the same consumer has taken over. What
	// was on its way may still be received, and must be thrown away: the new connection
	// is sent it too.
	Replaced()
	// Removed says that the consumer's group was removed. The same holds for what was on
	// its way: the queue's other groups have it.
	Removed()
}

// search says where an item is, as the caller's group sees it. If there is no such group,
// no consumer has it. To count the items that come before it, search goes through the
// whole queue, in shares.
func (s *State) search(_ *Batch, op *Op) Status {
	a := op.Ask
	v := s.serving(a)
	if v == nil {
		return NotFound
	}
	defer s.served(v)
	slot := s.jobIn(v.tube, op.ID)
	if slot == 0 {
		a.restart()
		return NotFound
	}
	if !a.begun {
		a.begun, a.Search = true, SearchInfo{}
	}
	g := v.groupNamed(a.Group)
	if s.undelivered(g, slot) && (!s.whole(v) || !s.countBefore(v, a, g, slot)) {
		return More
	}
	s.whoHas(a, g, slot)
	a.Search.Code, a.Search.Reason = s.noteOf(slot)
	a.restart()
	return OK
}

// whoHas says which consumer of a group has an item, and how often the item was sent to
// the group. A beanstalk worker that has it has no name.
func (s *State) whoHas(a *Ask, g *group, slot uint32) {
	i := &a.Search
	if g == nil {
		return
	}
	c := s.pendingAt(g, slot)
	i.Deliveries = s.returnsOf(g, slot)
	i.Pending = c != nil || g.view == nil && s.job(slot).state() == Reserved
	if i.Pending {
		i.Deliveries++
		i.WaitCount = 0
	}
	if c != nil {
		i.Consumer = g.name + "." + c.user
	}
}

// countBefore counts the items that a group would be sent before a given one. It reports
// false if it must go on in another turn.
func (s *State) countBefore(v *service, a *Ask, g *group, slot uint32) bool {
	j := s.job(slot)
	own := readyKey(j.pri, j.id(), slot)
	return v.walk(s, &a.from, looking, func(other uint32) bool {
		x := s.job(other)
		if s.undelivered(g, other) && readyKey(x.pri, x.id(), other).Before(own) {
			a.Search.WaitCount++
		}
		return true
	})
}

// count counts the items that have the tags and priority asked for.
func (s *State) count(_ *Batch, op *Op) Status {
	a := op.Ask
	if t := s.tubes[a.Queue]; t == nil || len(a.Tags) == 0 && !a.ByPri {
		a.Count = 0
		if t != nil {
			a.Count = t.length()
		}
		return OK
	}
	v := s.serving(a)
	defer s.served(v)
	if !a.begun {
		a.begun, a.Count = true, 0
	}
	if !s.whole(v) || !v.walk(s, &a.from, looking, func(slot uint32) bool {
		if (!a.ByPri || s.job(slot).pri == op.Pri) && s.tagsOf(slot).Has(a.Tags) {
			a.Count++
		}
		return true
	}) {
		return More
	}
	a.restart()
	return OK
}

// askAttrs says what a queue is like. It makes neither a tube nor a service: a tube that
// is only looked at costs no more than before. Such a tube has no order of its jobs, so
// Last is then the newest that was put, which may have ended, and First is not known.
func (s *State) askAttrs(_ *Batch, op *Op) Status {
	a := op.Ask
	v := s.serviceNamed(a)
	if v != nil && !s.whole(v) {
		return More
	}
	a.Attrs = &Attrs{}
	if t := s.tubes[pairOf(a.Queue)]; t != nil {
		a.Attrs.Rear = t.length()
	}
	t := s.tubes[a.Queue]
	if t == nil {
		return OK
	}
	a.Attrs.Length = t.length()
	if v == nil {
		if a.Attrs.Length > 0 {
			a.Attrs.Last = t.newest
		}
		return OK
	}
	if o := &v.index.order; o.n > 0 {
		a.Attrs.First, a.Attrs.Last = s.job(o.first()).id(), o.lastID()
	}
	a.Attrs.Ended = v.ended
	if v.first != nil {
		a.Attrs.addGroup(s.now, v.first)
	}
	for _, w := range v.views {
		a.Attrs.addGroup(s.now, w.group)
	}
	return OK
}

// addGroup tells of a group and its consumers.
func (x *Attrs) addGroup(now int64, g *group) {
	x.GroupsTotal++
	x.ConsumersTotal += len(g.consumers)
	if len(x.Groups) < ListMost {
		x.Groups = append(x.Groups, GroupInfo{
			Group: g.name, Index: g.index, Pending: g.pending, Delivered: g.delivered, Consumers: len(g.consumers),
		})
	}
	for _, c := range g.consumers {
		if len(x.Consumers) >= ListMost {
			return
		}
		x.Consumers = append(x.Consumers, c.info(now))
	}
}

func (c *consumer) info(now int64) ConsumerInfo {
	info := ConsumerInfo{
		Group: c.group.name, User: c.user, Index: c.index, Pending: c.held(), Status: c.status(),
		Idle: now - c.heard, AutoCommit: c.autoCommit, Tags: append(Tags(nil), c.tags...),
	}
	if !c.autoCommit {
		info.Window, info.Slots = c.window, c.slots()
	}
	return info
}

func (f *TubeFigures) add(g *group) {
	f.Groups++
	f.Consumers += len(g.consumers)
	f.Pending += uint64(max(0, g.pending))
	f.Delivered += g.delivered
}
