package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/websocket"

	"beanfield/tools/clients/checks"
)

// watcher is a client's connection on which items are pushed.
type watcher struct {
	*client
	connection io.Closer // without a farewell
	items      chan item // closed when the connection has ended
	why        error     // then
	over       chan struct{}
	once       sync.Once
}

const plainWatch = "_auto_commit_=false&_index_=0&_index_only_=false&_watch_=true"

// watch opens a WebSocket as the SDK does: the attributes first, then the handshake
// with an origin, then a ping every second.
func (x *client) watch(query string) *watcher {
	x.attributes()
	w, err := x.dial(plainWatch + "&_window_=" + query)
	must(err)
	return w
}

// dial takes the whole query of a watch.
func (x *client) dial(query string) (*watcher, error) {
	config, err := websocket.NewConfig("ws://"+queues+x.path()+"?"+query, "http://"+queues+strings.ToLower(x.path()))
	must(err)
	config.Header = x.headers.Clone()
	config.Header.Set("Accept", typeProtobuf)
	connection, err := net.Dial("tcp", queues)
	must(err)
	socket, err := websocket.NewClient(config, connection)
	if err != nil {
		connection.Close()
		return nil, err
	}
	w := x.watcher(connection)
	go w.ping(socket)
	go w.read(func() (b []byte, err error) {
		err = websocket.Message.Receive(socket, &b)
		return b, err
	})
	return w, nil
}

func (x *client) watcher(connection io.Closer) *watcher {
	w := &watcher{client: x, connection: connection, items: make(chan item, 1000), over: make(chan struct{})}
	x.open = append(x.open, w.cut)
	return w
}

// stream opens the watch over plain HTTP: frames with their length before them.
func (x *client) stream(query string) *watcher {
	r, err := http.NewRequest("GET", "http://"+queues+x.path()+"?"+plainWatch+"&_window_="+query, nil)
	must(err)
	r.Header = x.headers.Clone()
	r.Header.Set("Accept", typeProtobuf)
	answer, err := http.DefaultClient.Do(r)
	must(err)
	if answer.StatusCode != 200 {
		must(errors.New(answer.Status))
	}
	w := x.watcher(answer.Body)
	go w.read(func() ([]byte, error) {
		var length [4]byte
		if _, err := io.ReadFull(answer.Body, length[:]); err != nil {
			return nil, err
		}
		b := make([]byte, binary.BigEndian.Uint32(length[:]))
		if len(b) == 0 {
			return nil, errors.New("an empty frame")
		}
		_, err := io.ReadFull(answer.Body, b)
		return b, err
	})
	return w
}

var pings = websocket.Codec{Marshal: func(any) ([]byte, byte, error) { return nil, websocket.PingFrame, nil }}

func (w *watcher) ping(socket *websocket.Conn) {
	every := time.NewTicker(time.Second)
	defer every.Stop()
	for {
		select {
		case <-w.over:
			return
		case <-every.C:
			pings.Send(socket, nil)
		}
	}
}

func (w *watcher) read(frame func() ([]byte, error)) {
	defer close(w.items)
	for {
		b, err := frame()
		var it item
		if err == nil {
			it, err = decodeItem(b)
		}
		if err != nil {
			w.why = err
			return
		}
		w.items <- it
	}
}

// cut breaks the connection without a word.
func (w *watcher) cut() {
	w.once.Do(func() {
		close(w.over)
		w.connection.Close()
	})
}

// next is the next item, which must come.
func (w *watcher) next() (it item) {
	var ok bool
	select {
	case it, ok = <-w.items:
		if !ok {
			must(fmt.Errorf("the watch has ended: %w", w.why))
		}
	case <-time.After(checks.Patience):
		must(fmt.Errorf("%s gets no item", w.user))
	}
	return it
}

// wants wants these items next, and returns the last.
func (w *watcher) wants(what string, indexes ...uint64) (last item) {
	for i, index := range indexes {
		last = w.next()
		w.Equal(fmt.Sprintf("%s: item %d", what, i), last.index, index)
	}
	return last
}

// quiet wants nothing to come.
func (w *watcher) quiet(what string) {
	select {
	case it, ok := <-w.items:
		w.That(what, false, fmt.Sprint("item ", it.index, ", connected ", ok))
	case <-time.After(calm):
		w.That(what, true, nil)
	}
}

// ends wants the server to end the connection.
func (w *watcher) ends(what string) {
	select {
	case it, ok := <-w.items:
		w.That(what, !ok, it)
	case <-time.After(checks.Patience):
		w.That(what, false, "a connection that is still there")
	}
}
