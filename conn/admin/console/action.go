package console

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"time"

	"beanfield/shard/queue"
)

// action is a request that changes something.
type action struct {
	ctx    context.Context
	client *client
	ask    asked
	answer answered
}

// asked is what such a request says. Each action uses a part of it.
type asked struct {
	Tube   string   `json:"tube"`
	To     string   `json:"to"`
	States []string `json:"states"`
	ID     uint64   `json:"id"`
	Data   *string  `json:"data"`
	Base64 string   `json:"base64"`
	Pri    *uint32  `json:"pri"`
	Delay  uint32   `json:"delay"`   // seconds
	TTR    *uint32  `json:"ttr"`     // seconds
	Count  uint32   `json:"count"`   // kick: at most so many; 0: all
	Second uint32   `json:"seconds"` // pause: its length; 0 ends one
	Text   *string  `json:"text"`    // set-policies: all that are set at run time, in TOML
	// Version is that of the policies which the text was made from; "" replaces any.
	Version string `json:"version"`
}

// answered is what has been done.
type answered struct {
	ID   uint64 `json:"id,omitempty"` // of the new job
	Done int    `json:"done"`         // jobs
	Left int    `json:"left"`         // jobs that are still to be done, by another request
	// State is that of the jobs which a kick of all has begun with.
	State string `json:"state,omitempty"`
	// Version is that of the new policies. Changes says in words what has changed, or who was disconnected.
	Version string `json:"version,omitempty"`
	Changes string `json:"changes,omitempty"`
}

const (
	usualPri = 1024
	usualTTR = 60
	// partTime is how long a request works on many jobs before it says how far it has come.
	partTime = 500 * time.Millisecond
)

// act answers a POST of the interface.
func (c *Console) act(w http.ResponseWriter, r *http.Request, name string, fn func(*Console, *action) error) {
	a := &action{ctx: r.Context()}
	err := c.do(w, r, name, a, fn)
	var p *problem
	refused := errors.As(err, &p) && p.status == http.StatusForbidden
	c.opts.Tell(r, Event{name, a.ask.Tube, a.ask.To, a.ask.ID, a.answer.Done, a.answer.Changes, refused})
	if err != nil {
		refuse(w, err)
		return
	}
	reply(w, http.StatusOK, &a.answer)
}

// do carries out an action, if it is allowed.
func (c *Console) do(w http.ResponseWriter, r *http.Request, name string, a *action,
	fn func(*Console, *action) error) error {
	if err := checkKind(r); err != nil {
		return err
	}
	may := c.opts.May(r)
	if !may.Act {
		return &problem{http.StatusForbidden, "you may look, but change nothing"}
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, int64(2*c.opts.MaxJobSize()+64<<10)))
	d.DisallowUnknownFields()
	if err := d.Decode(&a.ask); err != nil {
		if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
			return &problem{http.StatusRequestEntityTooLarge, "the request is too large"}
		}
		return wrong("not the JSON that this needs: " + err.Error())
	}
	a.client = newClient(c.router)
	a.client.Finish(a.client.Open())
	defer func() { a.client.Finish(a.client.Close()) }()
	if err := c.permit(name, a, may.Subject); err != nil {
		return err
	}
	return fn(c, a)
}

// tubeNamed says what is wrong with a tube's name.
func tubeNamed(name string) error {
	if !queue.ValidName([]byte(name)) {
		return wrong("a tube's name has 1 to 200 letters, digits and -+/;.$_(), and does not begin with -")
	}
	return nil
}

// put makes a job.
func (c *Console) put(a *action) error {
	k := &a.ask
	if err := tubeNamed(k.Tube); err != nil {
		return err
	}
	var body []byte
	if k.Data != nil {
		body = []byte(*k.Data)
	} else if text, err := base64.StdEncoding.DecodeString(k.Base64); err == nil {
		body = text
	} else {
		return wrong("the body is not base64")
	}
	if len(body) > c.opts.MaxJobSize() {
		return &problem{http.StatusRequestEntityTooLarge, "the body is larger than limits.max_job_size allows"}
	}
	if c.opts.Exposes(body) {
		return errExposes
	}
	op := newPut(body, orElse(k.Pri, usualPri), k.Delay, orElse(k.TTR, usualTTR))
	a.client.Finish(a.client.Use([]byte(k.Tube)))
	op = a.client.run(a.client.UsedShard(), true, op)
	a.answer.ID, a.answer.Done = op.ID, 1
	return failure(op.Status)
}

// errExposes refuses to store a token.
var errExposes = wrong("the body shows a token of a rule")

// smallBody is how large a body may be that a shard copies.
const smallBody = 4 << 10

// newPut makes the operation. The queue may keep the body.
func newPut(body []byte, pri, delay, ttr uint32) queue.Op {
	op := queue.Op{Kind: queue.Put, Pri: pri, Delay: delay, TTR: max(1, ttr), Size: uint32(len(body))}
	if len(body) > smallBody {
		op.Parts = [][]byte{body}
	} else {
		op.Data = body
	}
	return op
}

func orElse(v *uint32, standard uint32) uint32 {
	if v == nil {
		return standard
	}
	return *v
}

// existing refuses the name of a tube that does not exist: to use it would make it.
func (a *action) existing(name string) error {
	_, err := a.client.stats(name)
	return err
}

// pause stops a tube for a time, or ends that.
func (c *Console) pause(a *action) error {
	op := queue.Op{Kind: queue.Pause, Data: []byte(a.ask.Tube), Delay: a.ask.Second}
	op = a.client.run(c.router.TubeShard(op.Data), false, op)
	a.answer.Done = 1
	return failureOf(op.Status, noTube)
}

// drain makes the server refuse new jobs until its end.
func (c *Console) drain(a *action) error {
	c.router.Drain()
	return nil
}

// remove ends one job, and kickJob makes one that is buried or delayed ready.
func (c *Console) remove(a *action) error  { return a.toJob(queue.Delete) }
func (c *Console) kickJob(a *action) error { return a.toJob(queue.KickJob) }

func (a *action) toJob(kind queue.Kind) error {
	_, err := a.client.one(queue.Op{Kind: kind, ID: a.ask.ID}, false)
	a.answer.Done = 1
	return err
}

// bury and release take one job that nobody holds, and put it back elsewhere.
func (c *Console) bury(a *action) error    { return a.putBack(queue.Bury) }
func (c *Console) release(a *action) error { return a.putBack(queue.Release) }

func (a *action) putBack(kind queue.Kind) error {
	op, err := a.client.one(queue.Op{Kind: queue.StatsJob, ID: a.ask.ID}, false)
	if err != nil {
		return err
	}
	pri := orElse(a.ask.Pri, a.client.batch.Jobs[op.From].Pri)
	if _, err = a.client.one(queue.Op{Kind: queue.ReserveJob, ID: a.ask.ID}, true); err != nil {
		return err
	}
	a.answer.Done = 1
	_, err = a.client.one(queue.Op{Kind: kind, ID: a.ask.ID, Pri: pri, Delay: a.ask.Delay}, true)
	return err
}

// checkKind refuses an action that is not JSON: a page from elsewhere that a browser has told
// nothing about could send any other kind without asking first.
func checkKind(r *http.Request) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &problem{http.StatusUnsupportedMediaType, "the content type must be application/json"}
	}
	return nil
}
