package queueservice

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"beanfield/conn"
	"beanfield/conn/access"
	"beanfield/conn/httpfront"
	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
)

// Headers, as Go writes them. Those for a consumer's identity have two names, and clients
// use either.
const (
	headerUser     = "X-Eas-Queueservice-Uid"
	headerGroup    = "X-Eas-Queueservice-Gid"
	headerUserOld  = "X-Eas-Queueservice-Redis-Uid"
	headerGroupOld = "X-Eas-Queueservice-Redis-Gid"
	headerRear     = "X-Eas-Queueservice-Access-Rear"
	headerPriority = "X-Eas-Queueservice-Priority"
	headerRequest  = "X-Eas-Queueservice-Request-Id"
	headerIndex    = "X-Eas-Queueservice-Index"
	headerStopped  = "X-Eas-Queueservice-Stopped" // "size": a get was cut, so there may be more
)

const (
	basePath     = "/api/predict/"
	defaultGroup = "default_group"
)

// party is the consumer that asks for operations, and the queue that they are for.
type party struct {
	server             *Server
	client             *httpfront.Client
	set                *Options // as of its request
	queue, group, user string
	limits             *policy.Limits // by set
}

// name is who the consumer is, and of which queue.
func (p *party) name() string { return p.queue + " " + p.group + "." + p.user }

// op begins an operation. The limits are those that hold now: a consumer may have come before
// they were changed.
func (p *party) op(what queue.What) *queue.Op {
	limits := p.limits
	if now := p.server.now.Load(); now != p.set {
		limits = now.LimitsFor(p.queue)
	}
	return &queue.Op{Kind: queue.Service, Ask: &queue.Ask{
		What: what, Queue: p.queue, Group: p.group, User: p.user, Limits: limits}}
}

// ask applies an operation, and says how it has failed.
func (p *party) ask(op *queue.Op) error {
	p.server.shards.Ask(op)
	return failed(op.Status)
}

// leave takes a consumer out of its queue (QS4).
func (p *party) leave(receiver queue.Receiver) {
	op := p.op(queue.AskLeave)
	op.Ask.Receiver = receiver
	p.server.shards.Ask(op)
}

// request is one HTTP request.
type request struct {
	party
	w     http.ResponseWriter
	r     *http.Request
	query *query
	json  bool // it asks for the WebSocket subprotocol

	socket  *socket
	subject *access.Subject // as whom it was let in; nil: everything was allowed
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer conn.EndOnPanic(http.ErrAbortHandler)
	q := s.newRequest(w, r)
	err := q.open()
	if err == nil && r.Method == http.MethodGet {
		err = q.skipBody()
	}
	if err == nil {
		err = q.serve()
	}
	if err != nil {
		q.fail(err)
	}
}

func (s *Server) newRequest(w http.ResponseWriter, r *http.Request) *request {
	k := httpfront.ConnOf(r).(*socket)
	q := &request{party: party{server: s, set: s.now.Load(), client: k.Client}, w: w, r: r, socket: k}
	if r.ContentLength != 0 {
		q.deadline() // net/http waits for the rest of an unread body before it answers
	}
	return q
}

// skipBody reads the body of a request that needs none. Until the body has come, net/http
// does not notice that the client hangs up, so the client would stay a consumer for ever.
func (q *request) skipBody() error {
	if q.r.ContentLength == 0 {
		return nil
	}
	n, err := io.Copy(io.Discard, io.LimitReader(q.r.Body, mostForm+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errNoBody
	case err != nil:
		return bad("the body is incomplete")
	case n > mostForm:
		return errTooLarge
	}
	http.NewResponseController(q.w).SetReadDeadline(time.Time{})
	return nil
}

var errNoBody = refuse(http.StatusRequestTimeout, "the body has not come in time")

// open finds out who asks, and for which queue.
func (q *request) open() (err error) {
	if q.query, err = parseQuery(q.r.URL.RawQuery); err != nil {
		return err
	}
	q.json = asksForJSON(q.r)
	if err := q.identify(); err != nil {
		return err
	}
	if q.queue, err = q.server.queueOf(q.r); err != nil {
		return err
	}
	q.limits = q.set.LimitsFor(q.queue)
	return nil
}

// serve does what is asked for, if the client may.
func (q *request) serve() error {
	o, err := q.operation()
	if err != nil {
		return err
	}
	if !q.may(o.needs) {
		err = errForbidden
	} else {
		err = o.run()
	}
	q.note(&o, err)
	return err
}

// queueOf tells the tube that a request's path and headers name.
func (s *Server) queueOf(r *http.Request) (string, error) {
	service, rest := s.now.Load().DefaultService, strings.TrimPrefix(r.URL.Path, "/")
	if after, ok := strings.CutPrefix(r.URL.Path, basePath); ok {
		service, rest, _ = strings.Cut(after, "/")
	} else if service == "" || r.URL.Path+"/" == basePath {
		return "", refuse(http.StatusNotFound, "the path names no service")
	}
	name := service
	if first, _, _ := strings.Cut(rest, "/"); first == sinkSuffix[1:] {
		name += sinkSuffix
	}
	text := r.Header.Get(headerRear)
	rear, err := strconv.ParseBool(text)
	if err != nil && text != "" {
		return "", bad("%s is neither true nor false", headerRear)
	}
	if rear {
		if strings.HasSuffix(name, queue.RearSuffix) {
			return "", bad("a rear queue has none of its own")
		}
		name += queue.RearSuffix
	}
	if service == "" || !queue.ValidName([]byte(name)) {
		return "", bad("a bad name of a service")
	}
	return name, nil
}

// identify lets the client in, and finds out which consumer of which group it is.
func (q *request) identify() error {
	h, values := q.r.Header, &q.query.values
	token := h.Get("Authorization")
	if q.json && token == "" {
		token = values[paramToken]
	}
	var err error
	if q.subject, err = q.server.auth.Authenticate(q.r.Context(), q.client, token, q.set.Listed); err != nil {
		err = refuse(http.StatusUnauthorized, err.Error())
		q.note(&operation{name: "request"}, err)
		return err
	}
	q.user = cmp.Or(h.Get(headerUser), h.Get(headerUserOld))
	q.group = cmp.Or(h.Get(headerGroup), h.Get(headerGroupOld))
	if q.json {
		q.user = cmp.Or(q.user, values[paramUid])
		q.group = cmp.Or(q.group, values[paramGid])
	}
	q.group = cmp.Or(q.group, defaultGroup)
	if q.user == "" && q.query.on(paramWatch) {
		q.user = newUUID()
	}
	if !plainName(q.user) || !plainName(q.group) {
		return bad("a bad name of a consumer or its group")
	}
	return nil
}

// plainName says whether a consumer or a group may have this name, which the attributes
// show within a line.
func plainName(name string) bool {
	return len(name) <= queue.MaxName && utf8.ValidString(name) && !strings.ContainsFunc(name, unicode.IsControl)
}

// newUUID makes a random UUID, of version 4.
func newUUID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	var text [36]byte
	hex.Encode(text[:8], b[:4])
	hex.Encode(text[9:13], b[4:6])
	hex.Encode(text[14:18], b[6:8])
	hex.Encode(text[19:23], b[8:10])
	hex.Encode(text[24:], b[10:])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text[:])
}

// answer sends a whole answer.
func (q *request) answer(status int, kind string, body []byte) {
	h := q.w.Header()
	if status != http.StatusNoContent {
		h["Content-Type"] = []string{kind}
		h["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	q.w.WriteHeader(status)
	if status != http.StatusNoContent {
		q.w.Write(body)
	}
}

// answerJSON sends an answer of 200.
func (q *request) answerJSON(v any) error {
	text, err := json.Marshal(v)
	if err == nil {
		q.answer(http.StatusOK, typeJSON, text)
	}
	return err
}

// do asks for an operation that has no result to show, and answers that it is done.
func (q *request) do(op *queue.Op) error {
	if err := q.ask(op); err != nil {
		return err
	}
	q.answer(http.StatusOK, typeText, []byte("OK"))
	return nil
}

// fail answers a request that has failed.
func (q *request) fail(err error) {
	f := &failure{http.StatusBadRequest, err.Error()}
	errors.As(err, &f)
	q.server.refusals.count(f.status)
	q.answer(f.status, typeText, []byte(f.text))
}

// deadline sets the time by which the request's body must have come.
func (q *request) deadline() {
	http.NewResponseController(q.w).SetReadDeadline(time.Now().Add(q.set.ReadTimeout))
}

// Bounds of the body of a commit, a negative or a delete: with a list of indexes, and without,
// when it has a code and a reason at most.
const (
	mostList = 2 << 20
	mostForm = 16 << 10
)
