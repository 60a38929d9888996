package jetstream

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"

	"beanfield/storage/lanes"
)

// Handler is told what became of requests, each at most once. Several goroutines may call it at
// once; it must not wait.
type Handler interface {
	Appended(id, seq uint64)
	// Refused says that the lane does not end where the append expects it to.
	Refused(id, end uint64) // the lane's end, if the engine tells it; else the highest number
	// Read has the records behind the request's place. If first is not 0, the lane begins there,
	// beyond that place. If more is set, there may be more. If sure is set, the lane's leader says so.
	Read(id, first uint64, records [][]byte, more, sure bool)
	// Failed says that nobody knows what became of the request.
	Failed(id uint64, err error)
}

const (
	batch      = 256     // records of one read
	batchBytes = 1 << 20 // about; one record may be as long
)

// Exchange carries the requests of one lanes.Log to the engine, and the answers back. A further
// Log needs another one: both count their requests from 1.
type Exchange struct {
	shard   *Shard
	handler Handler
	inbox   string
	sub     *nats.Subscription

	mu      sync.Mutex
	pending map[uint64]*pending
}

// pending is a request that is not answered.
type pending struct {
	lanes.Request
	tries   int  // of a read: how often it was repeated
	begun   bool // of a read: an answer has begun
	answers int  // of a read: which try that answer is for
	sure    bool // of a read: the lane's leader is asked before it is said that there is no more
	asked   bool // it has been
	first   uint64
	records [][]byte
	broken  bool // places between the records are missing
	more    bool
}

// NewExchange begins an exchange.
func (s *Shard) NewExchange(h Handler) (*Exchange, error) {
	x := &Exchange{shard: s, handler: h, inbox: s.nc.NewInbox() + ".", pending: map[uint64]*pending{}}
	sub, err := s.nc.Subscribe(x.inbox+"*", x.answer)
	if err != nil {
		return nil, err
	}
	x.sub = sub
	return x, sub.SetPendingLimits(-1, -1)
}

// Send sends a request. A read takes what any of the replicas has. That may lag; if sure is set, the
// lane's leader is asked too before a read says that there is no more.
func (x *Exchange) Send(r lanes.Request, sure bool) {
	p := &pending{Request: r, sure: sure}
	x.mu.Lock()
	x.pending[r.ID] = p
	x.mu.Unlock()
	m := &nats.Msg{Reply: x.reply(r.ID)}
	if r.Data != nil {
		m.Subject, m.Data = x.shard.subjects[r.Lane], r.Data
		m.Header = nats.Header{nats.ExpectedLastSeqHdr: {strconv.FormatUint(r.Place, 10)}}
	} else {
		x.ask(r, m)
	}
	x.publish(r.ID, m)
}

// ask words a read.
func (x *Exchange) ask(r lanes.Request, m *nats.Msg) {
	m.Subject = apiPrefix + "DIRECT.GET." + x.shard.streams[r.Lane]
	m.Data = fmt.Appendf(nil, `{"seq":%d,"batch":%d,"max_bytes":%d}`, r.Place+1, batch, batchBytes)
}

// Again repeats a read of which nothing has come. The answer that begins first counts.
func (x *Exchange) Again(id uint64) {
	x.mu.Lock()
	p := x.pending[id]
	ok := p != nil && p.Data == nil && !p.begun
	m := new(nats.Msg)
	if ok {
		p.tries++
		m.Reply = x.reply(id) + "-" + strconv.Itoa(p.tries)
		x.ask(p.Request, m)
	}
	x.mu.Unlock()
	if ok {
		x.publish(id, m)
	}
}

// byLeader marks the reply of a lane's leader.
const byLeader = "leader"

func (x *Exchange) reply(id uint64) string { return x.inbox + strconv.FormatUint(id, 10) }

func (x *Exchange) publish(id uint64, m *nats.Msg) {
	if err := x.shard.nc.PublishMsg(m); err != nil && id != 0 {
		x.Drop(id)
		x.handler.Failed(id, err)
	}
}

// Drop forgets a request: its answer is not waited for any more.
func (x *Exchange) Drop(id uint64) {
	x.mu.Lock()
	delete(x.pending, id)
	x.mu.Unlock()
}

// Purge frees a lane's records up to a place. It may fail; who wants to know reads the lane.
func (x *Exchange) Purge(lane int, seq uint64) {
	m := &nats.Msg{Subject: apiPrefix + "STREAM.PURGE." + x.shard.streams[lane], Reply: x.reply(0)}
	m.Data = fmt.Appendf(nil, `{"seq":%d}`, seq+1)
	x.publish(0, m)
}

// Close ends the exchange. The handler may be called once more.
func (x *Exchange) Close() { _ = x.sub.Unsubscribe() }

// answer finds out what a message answers.
func (x *Exchange) answer(m *nats.Msg) {
	of, nth, _ := strings.Cut(strings.TrimPrefix(m.Subject, x.inbox), "-")
	id, err := strconv.ParseUint(of, 10, 64)
	if err != nil {
		return
	}
	try, _ := strconv.Atoi(nth) // the first has none
	x.mu.Lock()
	p := x.pending[id]
	if p != nil && p.Data == nil && !p.begun {
		p.begun, p.answers = true, try
	}
	x.mu.Unlock()
	switch {
	case p == nil:
	case p.Data != nil:
		x.Drop(id)
		x.appended(p, m)
	case p.asked != (nth == byLeader) || !p.asked && try != p.answers: // it comes late
	case p.asked:
		x.Drop(id)
		x.leaderRead(p, m)
	default:
		x.read(p, m)
	}
}

// appended takes the answer to an append (E4).
func (x *Exchange) appended(p *pending, m *nats.Msg) {
	var ack struct {
		Stream string
		Seq    uint64
		Error  *nats.APIError
	}
	switch err := json.Unmarshal(m.Data, &ack); {
	case err != nil:
		x.handler.Failed(p.ID, fmt.Errorf("jetstream: no answer to an append: status %q", m.Header.Get("Status")))
	case ack.Error != nil && ack.Error.ErrorCode == codeWrongSequence:
		x.handler.Refused(p.ID, endIn(ack.Error.Description))
	case ack.Error != nil:
		x.handler.Failed(p.ID, ack.Error)
	case ack.Stream != x.shard.streams[p.Lane] || ack.Seq == 0:
		x.handler.Failed(p.ID, fmt.Errorf("jetstream: an append to %s was answered for %q", x.shard.streams[p.Lane],
			ack.Stream))
	default:
		x.handler.Appended(p.ID, ack.Seq)
	}
}

// endIn finds where a lane ends in the text of a refusal.
func endIn(text string) uint64 {
	var end uint64
	if n, _ := fmt.Sscanf(text, "wrong last sequence: %d", &end); n == 1 {
		return end
	}
	return math.MaxUint64
}

// read takes one message of those that answer a read: a record, or what ends them.
func (x *Exchange) read(p *pending, m *nats.Msg) {
	switch status := m.Header.Get("Status"); status {
	case "":
		x.record(p, m)
	case "204": // the end of the batch
		p.more = p.broken || m.Header.Get("Nats-Num-Pending") != "0"
		x.finish(p)
	case "404": // there is no record behind the place
		x.finish(p)
	default:
		x.Drop(p.ID)
		x.handler.Failed(p.ID, fmt.Errorf("jetstream: a read was answered with status %s", status))
	}
}

// record takes a record of a read. Those behind a gap are left for another one.
func (x *Exchange) record(p *pending, m *nats.Msg) {
	seq, err := strconv.ParseUint(m.Header.Get("Nats-Sequence"), 10, 64)
	next := p.Place + 1
	if len(p.records) > 0 {
		next = max(next, p.first) + uint64(len(p.records))
	}
	switch {
	case err != nil || seq < next || seq > next && len(p.records) > 0:
		p.broken = true
	case p.broken:
	default:
		if seq > next {
			p.first = seq
		}
		p.records = append(p.records, m.Data)
	}
}

// finish ends a read, or has the leader asked whether there is really no more.
func (x *Exchange) finish(p *pending) {
	if len(p.records) > 0 || !p.sure {
		x.Drop(p.ID)
		x.handler.Read(p.ID, p.first, p.records, p.more || p.sure, false)
		return
	}
	p.asked = true
	x.publish(p.ID, &nats.Msg{
		Subject: apiPrefix + "STREAM.MSG.GET." + x.shard.streams[p.Lane], Reply: x.reply(p.ID) + "-" + byLeader,
		Data: fmt.Appendf(nil, `{"seq":%d,"next_by_subj":%q}`, p.Place+1, x.shard.subjects[p.Lane]),
	})
}

// leaderRead takes the answer of the lane's leader, which has one record, or none. If it may not
// answer, because the group that makes streams has no leader, a replica's word must do
// (E5), but for saying that records are missing (E8).
func (x *Exchange) leaderRead(p *pending, m *nats.Msg) {
	var got struct {
		Message *struct {
			Seq  uint64
			Data []byte
		}
		Error *nats.APIError
	}
	err := json.Unmarshal(m.Data, &got)
	switch {
	case err == nil && got.Error != nil && (got.Error.ErrorCode == codeNoRecord ||
		got.Error.ErrorCode == codeUnavailable):
		x.handler.Read(p.ID, 0, nil, false, got.Error.ErrorCode == codeNoRecord)
	case err == nil && got.Message != nil && got.Message.Seq > p.Place:
		first := uint64(0)
		if got.Message.Seq > p.Place+1 {
			first = got.Message.Seq
		}
		x.handler.Read(p.ID, first, [][]byte{got.Message.Data}, true, true)
	case err == nil && got.Error != nil:
		x.handler.Failed(p.ID, got.Error)
	default:
		x.handler.Failed(p.ID, fmt.Errorf("jetstream: a lane's leader did not answer: status %q",
			m.Header.Get("Status")))
	}
}
