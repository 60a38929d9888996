package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"beanfield/tools/marked"
)

// queueService is the address of a server's queue service.
type queueService struct {
	addr string
}

// itemPri is the priority that an item has as a job, unless its put gives another.
const itemPri = 1024

// ask sends one request on a connection of its own, as HTTP/1.0: the answer ends where the
// connection does.
func (q *queueService) ask(method, tube string, query url.Values, body []byte) (text []byte, status int, err error) {
	conn, err := net.DialTimeout("tcp", q.addr, 5*time.Second)
	if err != nil {
		return nil, 0, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(answerWithin)); err != nil {
		return nil, 0, err
	}
	request := fmt.Appendf(nil, "%s /api/predict/%s?%s HTTP/1.0\r\nContent-Length: %d\r\n\r\n%s", method, tube,
		query.Encode(), len(body), body)
	if _, err := conn.Write(request); err != nil {
		return nil, 0, err
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		return nil, 0, err
	}
	head, text, whole := bytes.Cut(answer, []byte("\r\n\r\n"))
	length := fmt.Sprintf("\r\nContent-Length: %d", len(text))
	if _, err := fmt.Sscanf(string(head), "HTTP/1.0 %d", &status); err != nil || !whole ||
		!strings.Contains(string(head), length) {
		return nil, 0, fmt.Errorf("half an answer: %.40q", answer)
	}
	return text, status, nil
}

// item puts an item with a tag into the tube that is used. If there is no answer, it may
// be there or not.
func (a *actor) item() {
	if strings.HasSuffix(a.used, ";rear") {
		return // it has no path of its own
	}
	j := a.l.put(a.used, itemPri, 0, 0, marked.HeadLen+a.dice.IntN(2000))
	j.tag = strconv.FormatUint(j.token, 36) + " of an item"
	text, status, err := a.queue.ask("POST", a.used, url.Values{"tag": {j.tag}}, marked.Body(j.token, j.size))
	if err != nil {
		return // killed, or it will be noticed
	}
	id, err := strconv.ParseUint(string(text), 10, 64)
	if status != 200 || err != nil {
		a.l.failf("a put over HTTP is answered with %d, %q", status, text)
		return
	}
	a.l.inserted(j, id)
	a.l.items.Add(1)
}

// checkTags asks for the tags of all items. The ledger is not in use.
func (q *queueService) checkTags(l *ledger, s *snapshot) error {
	query := url.Values{"_length_": {"1"}, "_auto_delete_": {"false"}, "_raw_": {"false"}}
	for _, j := range l.alive {
		if j.tag == "" || s.jobs[j.id] == nil || s.jobs[j.id].state == delayed {
			continue // a delayed item is not shown
		}
		query.Set("_index_", strconv.FormatUint(j.id, 10))
		text, status, err := q.ask("GET", j.now().tube, query, nil)
		if err != nil {
			return fmt.Errorf("the tags of job %d: %w", j.id, err)
		}
		var items []struct {
			Index uint64            `json:"index"`
			Tags  map[string]string `json:"tags"`
		}
		err = json.Unmarshal(text, &items)
		if err != nil || len(items) != 1 || items[0].Index != j.id || items[0].Tags["tag"] != j.tag ||
			(items[0].Tags["requestId"] == "") != (j.put != nil) {
			l.failf("job %d has the tag %q, and a get at %v is answered with %d, %.300q", j.id, j.tag,
				time.Now().Format("15:04:05.000"), status, text)
		}
	}
	return nil
}
