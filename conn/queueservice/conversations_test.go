package queueservice

import (
	"fmt"
	"testing"
	"time"

	"beanfield/conn/access"
	"beanfield/conn/httpfront"
)

// conversation is what is said with a house that has certain options.
type conversation struct {
	name string
	set  func(*Options)
	text string
}

func plain(*Options) {}

// lettingIn has a list of tokens, and lets pages of one origin in.
func lettingIn(o *Options) {
	o.Tokens, o.Origins, o.MaxBatch = []string{"other", "secret"}, []string{"https://good"}, 100000
}

// guarding has rules, and nothing but a lost right ends a connection.
func guarding(o *Options) {
	book := &access.Current{}
	o.Authenticator = httpfront.Authenticator{Current: book}
	o.WriteTimeout, o.DeadAfter, o.ReadTimeout = time.Hour, time.Hour, time.Hour
	o.Origins = []string{"https://good"}
}

// conversations are held with a house whose desk answers in place of the shards.
var conversations = []conversation{
	{"operations", plain, `
		PUT ?_indexes_=1%2C7 | $who = 200 plain OK
		asks commit 1 s eas.u1 Indexes=[1 7]
		PUT ?_indexes_= | $who = 200 plain OK
		asks commit 2 s eas.u1 Indexes=[]
		PUT /api/predict/s/sink/deep?_indexes_=18446744073709551615 | X-EAS-QueueService-Redis-Uid: a; X-EAS-QueueService-Redis-Gid: b = 200 plain OK
		asks commit 3 s/sink b.a Indexes=[18446744073709551615]
		PUT /api/predict/g.s/a/b?_indexes_=5&_delete_=true = 200 plain OK
		asks commit 4 g.s default_group. Indexes=[5]
		PUT ?_negative_=true&_indexes_=3 | $who; Content-Type: application/x-www-form-urlencoded | _code_=Shutdown&_reason_=going+away = 200 plain OK
		asks negative 1 s eas.u1 Indexes=[3] Code=Shutdown Reason=going away
		PUT ?_negative_=true | $who | _code_=Shutdown = 200 plain OK
		asks negative 2 s eas.u1 Indexes=[] Code=Shutdown
		DELETE ?_indexes_=9 | $who = 200 plain OK
		asks delete 1 s eas.u1 Indexes=[9]
		DELETE ?_index_=9&_trunc_=true | $who; X-EAS-QueueService-Access-Rear: true = 200 plain OK
		asks truncate 1 s;rear eas.u1 Index=9
		DELETE /api/predict/s/sink?_group_=other | $who; X-EAS-QueueService-Access-Rear: true = 200 plain OK
		asks drop-group 1 s/sink;rear other.u1
		POST ?_eos_=true&_force_=true | $who = 200 plain OK
		asks end 1 s eas.u1 Force=true
		answers not-found
		GET ?_search_=true&_index_=4 | $who = 404 plain no data in stream
		asks search 1 s eas.u1 ID=4
		answers ok
		GET ?_count_=true&_priority_=1&a=b | $who = 200 plain 0
		asks count 1 s eas.u1 a=b ByPri=true Pri=1023
		answers failed
		GET ?_attrs_=true | Accept: application/vnd.google.protobuf = 500 plain internal error
		asks attrs 1 s default_group.`},
	{"gets", plain, `
		answers 7?k=ä"\n:hello
		GET ?requestId=r&_raw_=false | $who; Accept: */* = 200 json [{"index":7,"tags":{"k":"ä\"\u000a"},"data":"aGVsbG8="}]
		asks get 1 s eas.u1 requestId=r Length=1 Take=true
		answers 7:a 8:
		GET ?_index_=-1&_length_=2&_auto_delete_=false&_timeout_=0s | $who = 200 json [{"index":7,"tags":{},"data":"YQ=="},{"index":8,"tags":{},"data":""}]
		asks get 2 s eas.u1 Index=18446744073709551615 Length=2
		answers 7:raw\x00
		GET | $who = 200 octet-stream raw\x00
		asks get 3 s eas.u1 Length=1 Take=true
		answers 1:x
		GET | $who; Accept: application/vnd.google.protobuf = 200 vnd.google.protobuf \x0a\x05\x08\x01\x1a\x01x
		answers ok
		GET | $who = 204`},
	{"a default service", func(o *Options) { o.DefaultService = "dflt" }, `
		GET / = 204
		asks get 1 dflt default_group. Length=1 Take=true
		GET /sink = 204
		asks get 2 dflt/sink ...
		GET /sink/x = 204
		asks get 3 dflt/sink ...
		GET /a/b = 204
		asks get 4 dflt ...
		GET /sinker = 204
		asks get 5 dflt ...
		GET /api/predict/s/sink = 204
		asks get 6 s/sink ...`},
	{"the handshake asks for the watch", plain, `
		a watches &_index_=18446744073709551615&_window_=5&_index_only_=false&_auto_commit_=true&a=b | Origin: https://localhost/api/predict/s; Sec-WebSocket-Protocol: x
		asks watch 1 s eas.u1 a=b Index=18446744073709551615 Window=5 AutoCommit=true Closes=true
		a sends close \x03\xe8
		a closes 1000
		asks leave 1
		a leaves
		a watches &_index_only_=true
		a item 7?k=v:body
		a gets binary \x08\x07\x12\x06\x0a\x01k\x12\x01v`},
	// QS2: after a takeover, the end of the group or a failure of the log nothing is sent but the close frame.
	{"watches that end", plain, `
		a watches
		a item 1:a
		a gets binary \x08\x01\x1a\x01a
		a replaced
		a item 2:b
		a goes 4001
		asks leave 1
		b watches
		b removed
		b item 2:b
		b goes 4002
		asks leave 2
		c watches
		c failed
		c item 2:b
		c goes 1011
		asks leave 3`},
	// QS3: a stop gives each consumer what it was pushed, and a close frame.
	{"a stop", plain, `
		a watches
		a item 1:a
		stop
		a gets binary \x08\x01\x1a\x01a
		a closing 1001
		a sends close \x03\xe9
		a ends
		asks leave 1`},
	{"a client that never reads", func(o *Options) { o.WriteTimeout = 50 * time.Millisecond }, `
		a watches
		a large 30
		asks leave 1`},
	// A watch over plain HTTP sends its headers at once, and each item with its length.
	{"streams", plain, `
		a begins GET ?_watch_=true&_window_=3 | $who
		asks watch 1 s eas.u1 Window=3 Closes=true
		a is
		a peeks HTTP/1.1 200 OK
		a over 1:a 2:
		a responds 200 vnd.google.protobuf \x00\x00\x00\x05\x08\x01\x1a\x01a\x00\x00\x00\x02\x08\x02
		asks leave 1
		b begins GET ?_watch_=true&_window_=3 | $who
		asks watch 2
		b is
		b replaced
		b item 1:a
		b responds 200 vnd.google.protobuf
		asks leave 2
		c begins GET ?_watch_=true&_window_=3 | $who
		asks watch 3
		c hangs-up
		asks leave 3
		d begins GET ?_watch_=true&_window_=3 | $who
		asks watch 4
		stop
		asks leave 4`},
	// A get that waits is told when to try again, and asks for what is still missing.
	{"a get that waits", plain, `
		answers waiting
		a begins GET ?_length_=2&_timeout_=1m0s&_index_=4&_raw_=false&requestId=r | $who
		asks get 1 s eas.u1 requestId=r Index=4 Length=2 Take=true Wait=true
		answers 7:a then waiting
		wakes
		asks get 3 s eas.u1 requestId=r Index=4 Length=1 Take=true Wait=true
		answers 9:b
		wakes
		a responds 200 json [{"index":7,"tags":{},"data":"YQ=="},{"index":9,"tags":{},"data":"Yg=="}]
		times unget 0`},
	// If the log fails, a get fails, though it waits in the shard already. It does not stay there. When the client
	// hangs up, or the server stops, the shard is told that nobody waits.
	{"gets that give up", plain, `
		answers failed
		GET ?_timeout_=1m | $who = 500
		asks get 1
		asks unget 1 s ...
		answers waiting
		a begins GET ?_timeout_=1h | $who
		asks get 2
		a hangs-up
		asks unget 2
		b begins GET ?_timeout_=1h | $who
		asks get 3
		stop
		b responds 204
		asks unget 3
		b ends`},
	{"a page", lettingIn, `
		a pages
		asks watch 1 s us.me Window=5
		a item 7?k=v:tëxt"\\x09\x7f 8:\xff\x00 9:$(l*70000)
		a gets text {"index":7,"tags":{"k":"v"},"data":"tëxt\"\\\u0009\x7f"}
		a gets text {"index":8,"tags":{},"data64":"/wA="}
		a gets text {"index":9,"tags":{},"data":"$(l*70000)"}
		a sends text {"commit":[7,8]}
		a sends text {"commit":[],"id":0}
		a gets text {"done":0}
		asks commit 1 s us.me Indexes=[7 8]
		a begun {"negative":[9],"co
		a sends ping between
		a gets pong between
		a more de":"Busy","reason":"r","id":-5}
		a gets text {"done":-5}
		asks negative 1 s us.me Indexes=[9] Code=Busy Reason=r
		answers failed
		a sends text {"commit":[9]}
		a closes 1011`},
	{"a page that never reads", lettingIn, `
		a pages
		a large 12
		a floods {"commit":[],"id":1}
		asks leave 1`},
	// The end of a queue comes behind the items of its delivery batch and of those before, whatever is pushed
	// afterwards: as a close frame, as the end of an answer, or as a message.
	{"the end of a queue", lettingIn, `
		a watches | Authorization: secret
		a item 1:a
		a over 2:b
		a item 3:c
		a gets binary \x08\x01\x1a\x01a
		a gets binary \x08\x02\x1a\x01b
		a gets close \x03\xe8the queue has ended
		a sends close \x03\xe8
		a ends
		asks leave 1
		b begins GET ?_watch_=true&_window_=3 | $who; Authorization: secret
		asks watch 2
		b is
		b over 1:a
		b responds 200 vnd.google.protobuf \x00\x00\x00\x05\x08\x01\x1a\x01a
		asks leave 2
		c pages
		c over 7:x
		c gets text {"index":7,"tags":{},"data":"x"}
		c gets text {"ended":true}
		c item 8:y
		c gets text {"index":8,"tags":{},"data":"y"}
		c sends text {"commit":[8],"id":1}
		c gets text {"done":1}`},
	// When the right is taken away, watches and gets that wait end at once, and their consumers leave; those that still
	// have it stay.
	{"rights that are taken away", guarding, `
		rules reserve all peek
		answers waiting
		GET | Authorization: reserve = 204
		answers ok
		loses watches | Authorization: reserve
		stays watches | Authorization: all
		stream begins GET ?_watch_=true | $who; Authorization: reserve
		asks watch 3
		answers waiting
		waits begins GET ?_timeout_=1h | Authorization: reserve
		peeks begins GET ?_timeout_=1h&_auto_delete_=false | Authorization: peek
		asks get 3
		answers ok
		rules all peek
		waits responds 403
		stream responds 200 vnd.google.protobuf
		loses goes 1008
		asks leave 2
		stays sends ping x
		stays gets pong x
		rules put
		stays goes 1008
		peeks responds 403`},
	// Whoever may not reserve any more commits nothing, also while its writer is stuck and the end of its watch cannot
	// be sent. A consumer that does not read leaves all the same.
	{"stuck writers whose rights are taken away", guarding, `
		rules reserve
		a begins GET ?_watch_=true&_window_=5&_token_=reserve | $ws; $page
		asks watch 1
		a is
		a clogs
		b begins GET ?_watch_=true&_window_=5&_token_=reserve | $ws; $page
		asks watch 2
		b is
		b clogs
		c begins GET ?_watch_=true&_window_=5 | $ws; Authorization: reserve
		asks watch 3
		c is
		c clogs
		d begins GET ?_watch_=true&_window_=5 | Authorization: reserve
		asks watch 4
		d is
		d clogs
		rules all
		a sends text {"commit":[1],"id":1}
		b sends text {"negative":[1]}
		asks leave 4
		times commit 0
		times negative 0
		left`},
	{"misconduct", plain, `
		misconduct watches 1003 sends text hello
		misconduct watches 1003 sends binary $(x*100000)
		misconduct watches 1003 writes \x82\xff\x00\x00\x01\x00\x00\x00\x00\x00\x01\x02\x03\x04
		misconduct watches 1002 writes \x82\xff\xff\xff\xff\xff\xff\xff\xff\xff0000
		misconduct watches 1002 writes \x89\x01x
		misconduct watches 1002 writes \x09\x81\x01\x02\x03\x04x
		misconduct watches 1002 writes \x89\xfe\x00\x7e\x01\x02\x03\x04$(x*126)
		misconduct watches 1002 writes \x83\x81\x01\x02\x03\x04x
		misconduct watches 1002 writes \xc9\x81\x01\x02\x03\x04x
		misconduct watches 1002 writes \x80\x81\x01\x02\x03\x04x
		misconduct watches 1002 sends close x
		misconduct watches 1002 sends close \x03\xee
		misconduct watches 1002 sends close \x03\xe8\xff\xff
		misconduct watches 4000 sends close \x0f\xa0bye`},
	{"misconduct of pages", lettingIn, `
		misconduct pages 1003 sends binary {"commit":[1]}
		misconduct pages 1007 sends text "\xff"
		misconduct pages 1008 sends text {
		misconduct pages 1008 sends text {}
		misconduct pages 1008 sends text {"commit":[1],"negative":[1]}
		misconduct pages 1008 sends text {"commit":[-1]}
		misconduct pages 1008 sends text {"commit":[1]} x
		misconduct pages 1008 sends text {"negative":[1],"code":"$(c*65)"}
		misconduct pages 1008 sends text {"other":1}
		misconduct pages 1009 sends text $( *65537)
		misconduct pages 1008 writes \x81\x81\x01\x02\x03\x04x\x81\x81\x01\x02\x03\x04y
		times commit 0
		times negative 0`},
}

// Each is held once in plain text and once over TLS. After the end of a watch nothing is sent but that (QS2),
// and a stop sends what was pushed (QS3).
func TestConversations(t *testing.T) {
	for _, c := range append(conversations, refused...) {
		for _, secured := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, TLS=%t", c.name, secured), func(t *testing.T) {
				openHouse(t, nil, secured, c.set).talk(c.text)
			})
		}
	}
}
