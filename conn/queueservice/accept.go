package queueservice

import (
	"net/http"
	"strings"
)

// accepted calls each with the media types that the client can read, until that returns true.
func (q *request) accepted(each func(kind string) bool) bool {
	for _, list := range q.r.Header["Accept"] {
		for one := range strings.SplitSeq(list, ",") {
			kind, _, _ := strings.Cut(one, ";")
			if each(strings.ToLower(strings.TrimSpace(kind))) {
				return true
			}
		}
	}
	return false
}

// wantsProtobuf says in which form lists and attributes are sent.
func (q *request) wantsProtobuf() bool {
	return q.accepted(func(kind string) bool { return kind == typeProtobuf })
}

// typeFlatbuffers is a form of items for which a vendor's SDK has a name, and nothing more.
const typeFlatbuffers = "application/x-flatbuffers"

var errUnacceptable = refuse(http.StatusNotAcceptable, "items are sent as "+typeProtobuf+" or "+typeJSON)

// accepts says whether the client can read an answer with items. Whether it can read a body as
// it is, only the client knows.
func (q *request) accepts(raw bool) bool {
	return q.r.Header.Get("Accept") == "" || q.accepted(func(kind string) bool {
		switch kind {
		case "*/*", "application/*", typeJSON, typeProtobuf:
			return true
		}
		return raw && kind != typeFlatbuffers
	})
}

// asksForJSON says whether a request is a handshake for the JSON subprotocol.
func asksForJSON(r *http.Request) bool {
	return r.Header.Get("Upgrade") != "" && hasToken(r.Header["Sec-Websocket-Protocol"], SubprotocolJSON)
}

// hasToken says whether one of the headers' values, which are lists, has a token.
func hasToken(values []string, token string) bool {
	for _, v := range values {
		for one := range strings.SplitSeq(v, ",") {
			if strings.EqualFold(strings.TrimSpace(one), token) {
				return true
			}
		}
	}
	return false
}

// SubprotocolJSON is the WebSocket subprotocol for clients of our own and for pages.
const SubprotocolJSON = "beanfield.json"
