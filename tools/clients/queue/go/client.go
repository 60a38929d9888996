package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

const (
	firstGroup   = "eas"
	token        = "secret"
	typeProtobuf = "application/vnd.google.protobuf"
)

// client is one user of a queue, who says who he is in the headers that the
// attributes name.
type client struct {
	*section
	queue, user, group string
	headers            http.Header

	userHeader, groupHeader, priorityHeader string
}

// newClient makes a user, who first asks for the attributes.
func newClient(s *section, queue, user string) *client {
	x := &client{section: s, queue: queue, user: user, group: firstGroup,
		headers: http.Header{"Authorization": {token}}}
	all := x.attributes()
	x.userHeader, x.groupHeader, x.priorityHeader = all["meta.header.user"], all["meta.header.group"],
		all["meta.header.priority"]
	if x.userHeader == "" || x.groupHeader == "" || x.priorityHeader == "" {
		must(errors.New("malformed attributes"))
	}
	x.headers.Set(x.userHeader, user)
	x.headers.Set(x.groupHeader, x.group)
	return x
}

// rear is the same user of the rear queue.
func (x *client) rear() *client {
	r := *x
	r.headers = x.headers.Clone()
	r.headers.Set("X-EAS-QueueService-Access-Rear", "true")
	return &r
}

// reply is an answer of the server.
type reply struct {
	status int
	header http.Header
	body   string
}

// send sends any request. Headers are given in pairs.
func (x *client) send(method, target, body string, headers ...string) reply {
	r, err := http.NewRequest(method, "http://"+queues+target, bytes.NewReader([]byte(body)))
	must(err)
	r.Header = x.headers.Clone()
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	must(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(err)
	return reply{answer.StatusCode, answer.Header, string(text)}
}

// ask sends a request that takes its parameters in the query, and is answered with
// protobuf if the answer has a structure.
func (x *client) ask(method, query, body string, headers ...string) reply {
	return x.send(method, x.path()+"?"+query, body, append([]string{"Accept", typeProtobuf}, headers...)...)
}

func (x *client) path() string { return "/api/predict/" + x.queue }

// needs wants a reply to have a status, or else ends the section.
func (r reply) needs(status int) reply {
	if r.status != status {
		must(fmt.Errorf("status %d: %.100s", r.status, r.body))
	}
	return r
}

func (x *client) attributes() map[string]string {
	all, err := decodeAttributes([]byte(x.ask("GET", "_attrs_=true", "").needs(200).body))
	must(err)
	return all
}

func (x *client) length() string { return x.attributes()["stream.length"] }

// listed finds a line of the attributes: that of a consumer or group.
func (x *client) listed(kind, id string) map[string]string {
	for key, line := range x.attributes() {
		if f := fields(line); strings.HasPrefix(key, kind+".list.[") && f["Id"] == id {
			return f
		}
	}
	return nil
}

func (x *client) consumer() map[string]string { return x.listed("consumers", x.group+"."+x.user) }

func (x *client) put(body, query string, headers ...string) uint64 {
	index, err := strconv.ParseUint(x.ask("POST", query, body, headers...).needs(200).body, 10, 63)
	must(err)
	return index
}

// get gets items; none if the answer is 204.
func (x *client) get(query string) []item {
	r := x.ask("GET", query, "")
	if r.status == http.StatusNoContent && r.body == "" {
		return nil
	}
	list, err := decodeList([]byte(r.needs(200).body))
	must(err)
	return list
}

// comma lists indexes as the SDK writes them.
func comma(indexes []uint64) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(indexes), "[]"), " ", "%2C")
}

func (x *client) done(what string, r reply) { x.Equal(what, fmt.Sprint(r.status, r.body), "200OK") }

func (x *client) commit(indexes ...uint64) {
	x.done("commit", x.ask("PUT", "_indexes_="+comma(indexes), ""))
}

func (x *client) truncate(index uint64) {
	x.done("truncate", x.ask("DELETE", fmt.Sprintf("_index_=%d&_trunc_=true", index), ""))
}

// clear empties the queue as all SDKs do.
func (x *client) clear() {
	if last := x.attributes()["stream.lastEntry"]; last != "" {
		index, err := strconv.ParseUint(last, 10, 63)
		must(err)
		x.truncate(index + 1)
	}
	x.Equal("length after truncate", x.length(), 0)
}
