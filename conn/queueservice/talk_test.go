package queueservice

import (
	"fmt"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"beanfield/shard/queue"
	"beanfield/storage/must"

	"github.com/gobwas/ws"
)

// talk is a conversation with a house, of which a text tells, with a line for each step:
//
//	GET ?_attrs_=true | Accept: */*; X: y | body = 200 plain OK
//	                               a request, with headers and a body, and its answer: status, kind and body
//	asks get 2 s eas.u1 Length=1   waits until the second get is asked, which has these fields
//	times get 2                    so many have been asked by now
//	answers 7:a 9?k=v:b            what the shards answer from now on: items, an index (id=7) or a status
//	rules put all                  the tokens that rules know from now on
//	wakes                          the get that was asked for last is told to try again
//	forget, nothing, left, stop    as methods of house and desk
//
// Other steps begin with the name of a client. The first is one of
//
//	a watches &_window_=5 | X: y   it becomes a consumer
//	a pages                        so it does, by the JSON subprotocol
//	a joins ?_watch_=true | X: y   so it does, before real shards
//	a begins GET ?_timeout_=1h     it sends a request, and reads no answer yet
//
// and further ones are those of acts. In a text, ... stands for anything, \xff for a byte, $(x*9) for nine x, and the
// words of macros for what they are there.
type talk struct {
	*house
	clients map[string]*watcher
	asked   queue.Op
}

var macros = strings.NewReplacer("$who", "X-EAS-QueueService-Uid: u1; X-EAS-QueueService-Gid: eas",
	"$ws", strings.ReplaceAll(strings.TrimSpace(handshakeText), "\r\n", "; "), "$lines", strings.TrimSpace(ofLines),
	"$page", "Sec-WebSocket-Protocol: beanfield.json; Origin: https://good")

var repeated, escaped = regexp.MustCompile(`\$\((.+?)\*(\d+)\)`), regexp.MustCompile(`\\x[0-9a-f]{2}|\\[rn]`)

// unfold writes out what a text says in short.
func unfold(text string) string {
	text = repeated.ReplaceAllStringFunc(macros.Replace(text), func(s string) string {
		m := repeated.FindStringSubmatch(s)
		return strings.Repeat(m[1], must.Get(strconv.Atoi(m[2])))
	})
	return escaped.ReplaceAllStringFunc(text, func(s string) string {
		return must.Get(strconv.Unquote(`"` + s + `"`))
	})
}

// like says that a text is what a pattern stands for.
func like(text, pattern string) bool {
	text, pattern = strconv.Quote(text), strconv.Quote(pattern) // bytes need not be UTF-8
	pattern = strings.ReplaceAll(regexp.QuoteMeta(pattern), `\.\.\.`, `(?s).*`)
	return regexp.MustCompile(`\A` + pattern + `\z`).MatchString(text)
}

func (k *talk) wants(got, want string) {
	k.T.Helper()
	if !like(got, want) {
		k.T.Fatalf("it is %.1000q, want %.1000q", got, want)
	}
}

// talk holds a conversation.
func (h *house) talk(text string) {
	h.T.Helper()
	k := &talk{house: h, clients: map[string]*watcher{}}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			k.step(line)
		}
	}
}

func (k *talk) step(line string) {
	k.T.Helper()
	failed := k.T.Failed()
	defer func() {
		if !failed && k.T.Failed() {
			k.T.Logf("at the step %s", line)
		}
	}()
	first, rest, _ := strings.Cut(line, " ")
	switch do := steps[first]; {
	case do != nil:
		do(k, unfold(rest))
	case first == strings.ToUpper(first):
		line, want, _ := strings.Cut(line, " = ")
		w := k.begins(line)
		w.responds(k, first, unfold(want))
		w.Close()
	default:
		verb, rest, _ := strings.Cut(rest, " ")
		k.act(first, verb, rest)
	}
}

// act is a step of a client.
func (k *talk) act(name, verb, rest string) {
	k.T.Helper()
	target, headers, _ := strings.Cut(unfold(rest), "|")
	target, headers = strings.TrimSpace(target), headersOf(strings.TrimSpace(headers))
	switch verb {
	case "watches":
		k.clients[name] = k.watch(target, headers)
	case "pages":
		k.clients[name] = k.page()
	case "joins":
		k.clients[name] = &watcher{client: k.connect(base+target, headers)}
	case "dials":
		k.clients[name] = &watcher{client: k.dial()}
	case "begins":
		k.clients[name] = k.begins(rest)
	default:
		acts[verb](k, k.clients[name], unfold(rest))
	}
}

func headersOf(text string) string {
	if text == "" {
		return ""
	}
	return strings.ReplaceAll(text, "; ", "\r\n") + "\r\n"
}

// begins sends a request.
func (k *talk) begins(line string) *watcher {
	k.T.Helper()
	parts := append(strings.SplitN(unfold(line), " |", 3), "", "")
	method, target, _ := strings.Cut(parts[0], " ")
	if !strings.HasPrefix(target, "/") {
		target = base + target
	}
	headers, body := headersOf(strings.TrimSpace(parts[1])), strings.TrimPrefix(parts[2], " ")
	return &watcher{client: k.start(method, target, headers, body)}
}

// responds compares an answer. Those that refuse are short.
func (w *watcher) responds(k *talk, method, want string) {
	k.T.Helper()
	r, body := w.Response(method)
	kind, _, _ := strings.Cut(path.Base(r.Header.Get("Content-Type")), ";")
	if !strings.Contains(want, " ") {
		want += "..."
	}
	k.wants(strings.TrimRight(fmt.Sprintf("%d %s %s", r.StatusCode, kind, body), " "), want)
	if r.StatusCode >= 400 && len(body) > 120 {
		k.T.Errorf("it is refused in %d bytes", len(body))
	}
}

// whats are the words for operations.
var whats = strings.Fields("none put get unget watch leave sent commit negative delete truncate search count end attrs " +
	"drop-group")

// say tells of an operation: its name, queue and consumer, and what is not as usual.
func say(op queue.Op) string {
	text := fmt.Sprintf("%s %s %s.%s", whats[op.Ask.What], op.Ask.Queue, op.Ask.Group, op.Ask.User)
	v := reflect.ValueOf(*op.Ask)
	for i := range v.NumField() {
		name, f := v.Type().Field(i).Name, v.Field(i)
		silent := []string{"What", "Queue", "Group", "User", "Limits", "Receiver", "Getter", "Spent", "Found", "Count",
			"Search", "Attrs"}
		switch {
		case f.IsZero() || slices.Contains(silent, name):
		case name == "Tags":
			for tag, value := range op.Ask.Tags.All() {
				text += fmt.Sprintf(" %s=%s", tag, value)
			}
		default:
			text += fmt.Sprintf(" %s=%v", name, f)
		}
	}
	for i, n := range []uint64{op.ID, uint64(op.Pri), uint64(op.TTR)} {
		if n > 0 {
			text += fmt.Sprint([]string{" ID=", " Pri=", " TTR="}[i], n)
		}
	}
	if op.Ask.Limits != someLimits {
		text += " other limits"
	}
	if len(op.Data) > 0 {
		text += " " + string(op.Data)
	}
	return text
}

func number(text string) int { return must.Get(strconv.Atoi(text)) }

// itemsOf are items as texts tell of them.
func itemsOf(text string) (list []sent) {
	for word := range strings.SplitSeq(text, " ") {
		head, body, _ := strings.Cut(word, ":")
		index, tag, _ := strings.Cut(head, "?")
		one := sent{uint64(number(index)), nil, body}
		if key, value, is := strings.Cut(tag, "="); is {
			one.tags = map[string]string{key: value}
		}
		list = append(list, one)
	}
	return list
}

var statuses = map[string]queue.Status{"ok": queue.OK, "waiting": queue.Waiting, "failed": queue.Failed,
	"not-found": queue.NotFound, "too-long": queue.TooLong, "ended": queue.Ended, "no-room": queue.NoRoom,
	"refused": queue.Refused, "more": queue.More}

var steps = map[string]func(k *talk, rest string){
	"asks": func(k *talk, rest string) {
		k.T.Helper()
		words := strings.SplitN(rest+" ", " ", 3)
		n := number(words[1])
		k.asked = k.await(k.T, queue.What(slices.Index(whats, words[0])), n)
		if len(words) > 2 && words[2] != "" {
			k.wants(say(k.asked), words[0]+" "+strings.TrimSpace(words[2]))
		}
	},
	"times": func(k *talk, rest string) {
		k.T.Helper()
		word, n, _ := strings.Cut(rest, " ")
		if got := k.times(queue.What(slices.Index(whats, word))); got != number(n) {
			k.T.Errorf("%d are asked", got)
		}
	},
	"answers": func(k *talk, rest string) {
		if s, is := statuses[rest]; is {
			k.replies(status(s))
		} else if id, is := strings.CutPrefix(rest, "id="); is {
			k.replies(func(op *queue.Op) { op.ID = uint64(number(id)) })
		} else {
			items, waits := strings.CutSuffix(rest, " then waiting")
			k.replies(func(op *queue.Op) {
				if finds(itemsOf(items)...)(op); waits && op.Ask.Length == 1 {
					op.Ask.Found, op.Status = nil, queue.Waiting
				}
			})
		}
	},
	"rules": func(k *talk, rest string) {
		k.server.now.Load().Authenticator.Current.Replace(rules(k.T, strings.Fields(rest)...))
	},
	"misconduct": func(k *talk, rest string) {
		k.T.Helper()
		words := strings.SplitN(rest, " ", 4)
		left := k.times(queue.AskLeave)
		k.act("it", words[0], "")
		k.act("it", words[2], words[3])
		k.act("it", "closes", words[1])
		k.await(k.T, queue.AskLeave, left+1)
	},
	"wakes":   func(k *talk, _ string) { k.asked.Ask.Getter.TryAgain() },
	"forget":  func(k *talk, _ string) { k.forget() },
	"nothing": func(k *talk, _ string) { k.T.Helper(); k.nothing(k.T) },
	"left":    func(k *talk, _ string) { k.AllLeft() },
	"stop":    func(k *talk, _ string) { go k.Close() },
}

var frameKinds = map[string]ws.OpCode{"text": ws.OpText, "binary": ws.OpBinary, "ping": ws.OpPing, "pong": ws.OpPong,
	"close": ws.OpClose}

func code(text string) ws.StatusCode { return ws.StatusCode(number(text)) }

// acts are what a client does, and what is done to a consumer.
var acts = map[string]func(k *talk, w *watcher, rest string){
	"is": func(k *talk, w *watcher, rest string) { // a watch over plain HTTP is the operation that was asked for last
		w.box = k.asked.Ask.Receiver
	},
	"sends": func(_ *talk, w *watcher, rest string) {
		op, payload, _ := strings.Cut(rest, " ")
		w.Send(masked(frameKinds[op], payload))
	},
	"begun": func(_ *talk, w *watcher, rest string) {
		must.Do(w.T, ws.WriteFrame(w, ws.MaskFrame(ws.NewFrame(ws.OpText, false, []byte(rest)))))
	},
	"more": func(_ *talk, w *watcher, rest string) { w.Send(masked(ws.OpContinuation, rest)) },
	"floods": func(_ *talk, w *watcher, rest string) {
		go w.Write([]byte(strings.Repeat(masked(ws.OpText, rest), 2000)))
	},
	"writes": func(_ *talk, w *watcher, rest string) { w.Send(rest) },
	"gets": func(k *talk, w *watcher, rest string) {
		k.T.Helper()
		op, payload, _ := strings.Cut(rest, " ")
		w.expect(frameKinds[op], payload)
	},
	"peeks": func(k *talk, w *watcher, rest string) {
		k.T.Helper()
		k.wants(string(must.Get(w.In.Peek(len(rest)))), rest)
	},
	"reads": func(k *talk, w *watcher, rest string) {
		k.T.Helper()
		k.wants(string(must.Get(w.In.Peek(len(rest)))), rest)
		must.Get(w.In.Discard(len(rest)))
	},
	"clogs": func(k *talk, w *watcher, _ string) { k.T.Helper(); w.clog(w.box) },
	"brings": func(k *talk, w *watcher, rest string) {
		k.T.Helper()
		index, data := w.item()
		k.wants(fmt.Sprint(index, " ", data), rest)
	},
	"closing":  func(k *talk, w *watcher, rest string) { k.T.Helper(); w.closing(code(rest)) },
	"closes":   func(k *talk, w *watcher, rest string) { k.T.Helper(); w.closes(code(rest)) },
	"goes":     func(k *talk, w *watcher, rest string) { k.T.Helper(); w.sentAway(code(rest)) },
	"ends":     func(k *talk, w *watcher, _ string) { k.T.Helper(); w.ended() },
	"responds": func(k *talk, w *watcher, rest string) { k.T.Helper(); w.responds(k, "GET", rest) },
	"hangs-up": func(_ *talk, w *watcher, _ string) { w.Close() },
	"item":     func(_ *talk, w *watcher, rest string) { w.box.Receive(packed(itemsOf(rest)...), true) },
	"over":     func(_ *talk, w *watcher, rest string) { w.box.Receive(over(itemsOf(rest)...), true) },
	"large":    func(_ *talk, w *watcher, rest string) { w.box.Receive(bulky(number(rest)), true) },
	"failed":   func(_ *talk, w *watcher, _ string) { w.box.Receive(packed(), false) },
	"replaced": func(_ *talk, w *watcher, _ string) { w.box.Replaced() },
	"removed":  func(_ *talk, w *watcher, _ string) { w.box.Removed() },
	"leaves": func(k *talk, w *watcher, _ string) { // the consumer that has left last is this one
		if k.asked.Ask.Receiver != w.box {
			k.T.Error("it is another one")
		}
	},
}
