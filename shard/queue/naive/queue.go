package naive

import (
	"cmp"
	"slices"

	"beanfield/shard/queue/policy"
	"beanfield/storage"
)

// State is the place of a job.
type State string

// The places of a job. Only further groups see a passed one.
const (
	Ready    State = "ready"
	Delayed  State = "delayed"
	Reserved State = "reserved"
	Buried   State = "buried"
	Passed   State = "passed"
)

// Second is one, in the nanoseconds that all moments are counted in.
const Second = int64(1e9)

const millisecond = Second / 1000

// Nobody holds a job that is not reserved.
const Nobody = -1

// Queue is the model.
type Queue struct {
	Now       int64
	Epoch     int64 // what is added to a moment to make it a date
	NoPuts    bool  // the log takes no new jobs
	NoUpdates bool  // nor changes of those that it has

	Jobs     []*Job
	Keys     []*Key
	Clients  []*Client
	Tubes    []*Tube
	Timeouts uint64
	Total    uint64
	Given    []Gift // what waiters were given; whoever compares it empties it

	Wrote      func(j *Job, gone bool) // hears of the log's records of jobs; may be nil
	WroteQueue func(s *Service)
	WroteKey   func(k *Key, gone bool)

	Most           policy.Amount             // of all tubes together
	Policies       map[string]*policy.Policy // by tube
	Did            policy.Counters           // by policies
	FairSchedulers map[string]*FairScheduler // by the names of the tubes
	Ticks          map[Schedule]int64        // the last one of each
	// Spread is a retry's delay with up to a tenth more or less.
	Spread func(id uint64, deliveries uint32, delay int64) int64

	// of the queue service
	Limits   policy.Limits
	Services map[string]*Service
	Gets     []*Get // that wait, or were called; in the order in which they came
	Pushed   []Push
	Called   []string // gets that are to try again
	Found    []uint64 // by the last get
	// Slot breaks ties between clients that lose something at the same moment, and ViewSlot
	// between views; with nil the lower job is first.
	Slot     func(client int) uint32
	ViewSlot func(queue string, v *View) uint32

	seq      int  // grows with every reservation, burial and wait
	views    int  // made so far
	opening  bool // pauses have ended, and those who wait are served
	withRoom []int
}

// Job is one job, and what has become of it.
type Job struct {
	ID                uint64
	Tube              string
	Body              string
	State             State
	Pri, Delay, TTR   uint32
	Created, Deadline int64
	Since             int64 // when it became ready, where that counts; 0: its put
	Rank              int   // orders the buried jobs
	Quarantined       bool  // it is buried because its body cannot be read
	storage.Counters

	// of the queue service
	Tags         []string
	Moved        bool
	Timed        bool             // it has another TTR than its put has said
	Before       storage.Counters // what was counted when it was last moved
	Code, Reason string           // of the last refusal
	Fated        bool             // it is a dead letter of a group, and others have it
	Fate         policy.Fate
	Parts        map[int]*Part // what the views have of it, by their numbers

	Part         // what the tube has of it, or the first group
	Said   *Said // nil for a plain put
	Logged *Job

	avoid int // 1 + the consumer that has just refused it, or 0
}

// Client is who gives commands, and may wait and hold jobs.
type Client struct {
	Used     string
	Watched  []string
	Waiting  int // when it began to wait, 0 if it does not
	Open     bool
	Consumer *Consumer // nil for a beanstalk client

	Wants []string // tags that its last reserve asks for
	fair  string   // that of its last reserve
}

// Tube is a tube while it has a reason to be there.
type Tube struct {
	Name            string
	Total           uint64
	Deletes, Pauses uint64
	Pause           uint32
	PausedUntil     int64
	rateLimit
}

// Gift is a job that a waiter was given.
type Gift struct {
	Client int
	ID     uint64
}

// New makes a queue without jobs and clients.
func New() *Queue {
	m := &Queue{Services: map[string]*Service{}, Ticks: map[Schedule]int64{}}
	m.need("default")
	return m
}

// Join makes a client and says its number.
func (m *Queue) Join() int {
	m.Clients = append(m.Clients, &Client{})
	return len(m.Clients) - 1
}

func (m *Queue) next() int { m.seq++; return m.seq }

// Job finds a job; nil if there is none.
func (m *Queue) Job(id uint64) *Job {
	for _, j := range m.Jobs {
		if j.ID == id {
			return j
		}
	}
	return nil
}

// Tube finds a tube; nil if there is none.
func (m *Queue) Tube(name string) *Tube {
	for _, t := range m.Tubes {
		if t.Name == name {
			return t
		}
	}
	return nil
}

func (m *Queue) need(name string) *Tube {
	if m.Tube(name) == nil {
		m.Tubes = append(m.Tubes, &Tube{Name: name})
	}
	return m.Tube(name)
}

// sweep ends tubes without a reason to exist.
func (m *Queue) sweep() {
	m.Tubes = slices.DeleteFunc(m.Tubes, func(t *Tube) bool {
		using, watching, _ := m.Members(t.Name)
		held := slices.ContainsFunc(m.Jobs, func(j *Job) bool { return j.Tube == t.Name })
		return t.Name != "default" && using+watching == 0 && !held && !m.keeps(t.Name) && !m.lingers(t)
	})
}

// Members counts the clients of a tube.
func (m *Queue) Members(name string) (using, watching, waiting int) {
	for _, c := range m.Clients {
		if c.Used == name {
			using++
		}
		if slices.Contains(c.Watched, name) {
			watching++
			if c.Waiting > 0 && c.Open {
				waiting++
			}
		}
	}
	return using, watching, waiting
}

// Counts counts a tube's or, with an empty name, all tubes' jobs that are in a place.
func (m *Queue) Counts(tube string, fits func(*Job) bool) (n int) {
	for _, j := range m.Jobs {
		if (tube == "" || j.Tube == tube) && fits(j) {
			n++
		}
	}
	return n
}

// Least finds the smallest job by order among those that fit; nil if none does.
func (m *Queue) Least(order func(a, b *Job) int, fits func(*Job) bool) *Job {
	var best *Job
	for _, j := range m.Jobs {
		if fits(j) && (best == nil || order(j, best) < 0) {
			best = j
		}
	}
	return best
}

// ByPri is the order in which jobs are handed out.
func ByPri(a, b *Job) int { return cmp.Or(cmp.Compare(a.Pri, b.Pri), byID(a, b)) }

func byID(a, b *Job) int       { return cmp.Compare(a.ID, b.ID) }
func byDeadline(a, b *Job) int { return cmp.Or(cmp.Compare(a.Deadline, b.Deadline), byID(a, b)) }
func byRank(a, b *Job) int     { return cmp.Compare(a.Rank, b.Rank) }

// Listed lists a tube's jobs in one place, in the order in which they leave it.
func (m *Queue) Listed(state State, tube string) []*Job {
	order := map[State]func(a, b *Job) int{Ready: m.byKey, Delayed: byDeadline, Buried: byRank}[state]
	jobs := slices.DeleteFunc(m.In(tube), func(j *Job) bool { return j.State != state })
	slices.SortFunc(jobs, order)
	return jobs
}

// First is the first of these, which peek-ready, peek-delayed or peek-buried shows; nil if
// there is none.
func (m *Queue) First(state State, tube string) *Job {
	if all := m.Listed(state, tube); len(all) > 0 {
		return all[0]
	}
	return nil
}

// Best is the job that a reserve over some tubes would take.
func (m *Queue) Best(tubes []string) *Job {
	return m.bestOf(func(tube string) bool { return slices.Contains(tubes, tube) && !m.shut(tube) })
}

func (m *Queue) paused(tube string) bool {
	t := m.Tube(tube)
	return t != nil && t.PausedUntil != 0
}

// HeldBy lists the jobs that a client holds, in the order in which it got them.
func (m *Queue) HeldBy(client int) []*Job {
	v := m.view(m.Clients[client].Consumer)
	jobs := slices.DeleteFunc(slices.Clone(m.Jobs), func(j *Job) bool { return j.of(v).Holder != client })
	slices.SortFunc(jobs, func(a, b *Job) int { return cmp.Compare(a.of(v).taken, b.of(v).taken) })
	return jobs
}

// Soonest is the first deadline of the jobs that a client holds, or 0.
func (m *Queue) Soonest(client int) int64 {
	j := m.Least(byDeadline, func(j *Job) bool { return j.State == Reserved && j.Holder == client && j.Deadline != 0 })
	if j == nil {
		return 0
	}
	return j.Deadline
}

// Soon says that one of these deadlines is near.
func (m *Queue) Soon(client int) bool {
	soonest := m.Soonest(client)
	return soonest != 0 && m.Now >= soonest-Second
}
