package queueservice

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"beanfield/conn"
	"beanfield/conn/access"
	"beanfield/shard/queue"
	"beanfield/storage/pace"
)

// mostItems is how many items a get may ask for. The answer is cut when it has mostAnswer
// bytes: what a get has found is in memory until it has been sent.
const (
	mostItems  = 10000
	mostAnswer = MaxFrame
)

// A get that waits in vain is answered a little before its time is over, because at that
// moment its client gives up and asks again. The margin is a twentieth of the time, but no
// more than this.
const mostMargin = 100 * time.Millisecond

// bell wakes a get that waits.
type bell chan struct{}

// TryAgain implements queue.Getter.
func (b bell) TryAgain() {
	select {
	case b <- struct{}{}:
		pace.Woke()
	default:
	}
}

// finding is a get that is under way.
type finding struct {
	*request
	op    *queue.Op
	needs access.Rights
	left  int // items
	room  int // bytes
	found []*queue.DeliveryBatch
	bell  bell
	held  conn.Share // of what all gets have found beyond their first portions
	short bool       // it has stopped because of size
}

// get finds items for a client with a right: with Reserve it takes them, with Peek it does not.
func (q *request) get(needs access.Rights) error {
	f := &finding{request: q, op: q.op(queue.AskGet), needs: needs, room: mostAnswer,
		held: conn.Share{Of: &q.server.answers}}
	defer f.held.End()
	a, p := f.op.Ask, q.query
	length, err := p.count(paramLength, 1, mostItems)
	if err != nil {
		return err
	}
	if length == 0 {
		return bad("%s is 0", paramLength)
	}
	f.left = length
	if a.Index, err = p.index(paramIndex); err != nil {
		return err
	}
	a.Take = needs == access.Reserve
	raw, err := p.bool(paramRaw, true)
	if err != nil {
		return err
	}
	raw = raw && length <= 1
	if !q.accepts(raw) {
		return errUnacceptable
	}
	wait, err := p.timeout()
	if err != nil {
		return err
	}
	if a.Tags, err = q.pack(p.tags); err != nil {
		return err
	}
	if err := f.search(wait); err != nil {
		return err
	}
	f.reply(raw)
	return nil
}

// search finds as many items as were asked for, or what there is when the time is over.
// Items that it has taken are gone, even if the client hangs up before they are sent.
func (f *finding) search(wait time.Duration) error {
	if wait <= 0 {
		for { // the shards give many bytes in portions
			if some, err := f.ask(); err != nil || !some || f.left == 0 {
				return err
			}
		}
	}
	ctx, end := context.WithCancel(f.r.Context())
	defer end()
	v := &visit{f.client, f.queue, f.needs, end, nil}
	defer f.server.leave(v)
	if !f.server.begin(v) {
		return errForbidden
	}
	f.bell = make(bell, 1)
	f.op.Ask.Wait, f.op.Ask.Getter = true, f.bell
	timer := time.NewTimer(wait - min(wait/20, mostMargin))
	defer timer.Stop()
	for {
		some, err := f.ask()
		switch {
		case err != nil:
			f.unget() // it may wait in the shard all the same, if the log has failed since
			return err
		case f.left == 0:
			return nil
		case some:
			continue // the getter is called only after an ask that found nothing
		}
		select {
		case <-f.bell:
			if ctx.Err() == nil {
				continue
			}
		case <-timer.C:
		case <-ctx.Done(): // the client hangs up or loses its right, or the server stops
		}
		f.unget()
		if len(f.found) == 0 && !f.server.allowed(v) {
			return errForbidden
		}
		return nil
	}
}

// unget tells the shard that the get no longer waits.
func (f *finding) unget() {
	op := f.request.op(queue.AskUnget)
	op.Ask.Getter = f.bell
	f.server.shards.Ask(op)
}

var errHungUp = bad("the client has hung up")

// ask asks for what is still to be found, and reports whether there was something. For a
// client that has hung up it takes nothing.
func (f *finding) ask() (some bool, _ error) {
	a := f.op.Ask
	if a.Take && f.socket.hungUp() {
		return false, errHungUp
	}
	a.Length, a.Found = f.left, nil
	f.server.shards.Ask(f.op)
	switch f.op.Status {
	case queue.OK, queue.Waiting, queue.Empty, queue.NotFound:
	default:
		return false, failed(f.op.Status)
	}
	if a.Found == nil || len(a.Found.Items) == 0 {
		return false, nil
	}
	f.found = append(f.found, a.Found)
	f.left -= min(f.left, len(a.Found.Items))
	f.room -= a.Found.Weight()
	switch newest := !a.Take && a.Index == queue.NewestIndex; {
	case f.left == 0:
	case f.room <= 0 || newest && a.Cut || !newest && !f.held.Grow(mostMemory(a.Found.Weight())):
		f.left, f.short = 0, true
	case newest:
		f.left = 0 // one look at the newest items is all
	case !a.Take: // the rest comes after what was found
		for i := range a.Found.Items {
			a.Index = max(a.Index, a.Found.Items[i].Index+1)
		}
	}
	return true, nil
}

// mostMemory is about how much memory a portion of this weight and its encoding take: as JSON
// a body is longer by a third, and a buffer that has grown is longer by a quarter.
func mostMemory(weight int) int { return 3 * weight }

// reply sends what was found: a list or, with raw, the body of the one item as it is.
func (f *finding) reply(raw bool) {
	if f.short {
		f.w.Header()[headerStopped] = []string{"size"}
	}
	switch {
	case len(f.found) == 0:
		f.answer(http.StatusNoContent, "", nil)
	case f.wantsProtobuf():
		var b []byte
		for _, p := range f.found {
			b = appendFrames(b, p)
		}
		f.answer(http.StatusOK, typeProtobuf, b)
	case raw:
		p, h := f.found[0], f.w.Header()
		h[headerIndex] = []string{strconv.FormatUint(p.Items[0].Index, 10)}
		if id, ok := p.Tags(0).Get(queue.TagRequest); ok && isHeaderText(id) {
			h[headerRequest] = []string{string(id)}
		}
		f.answer(http.StatusOK, typeBytes, appendBody(nil, p, 0))
	default:
		b := []byte{'['}
		for _, p := range f.found {
			for i := range p.Items {
				if len(b) > 1 {
					b = append(b, ',')
				}
				b = appendFrameJSON(b, p, i)
			}
		}
		f.answer(http.StatusOK, typeJSON, append(b, ']'))
	}
}

// isHeaderText says whether a tag can be the value of a header.
func isHeaderText(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c < ' ' || c > '~' })
}
