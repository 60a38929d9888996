package queueservice

// refused are conversations in which the server takes nothing, and says why.
var refused = []conversation{
	{"refused handshakes", lettingIn, `
		GET ?_watch_=true | $ws = 401 plain ...
		GET ?_watch_=true&_token_=secret | $ws = 401 plain ...
		GET ?_watch_=true | Authorization: secret; Connection: Upgrade; Upgrade: websocket; Sec-Websocket-Version: 13 = 400 plain ...
		GET ?_watch_=true | Authorization: secret; Upgrade: websocket = 400 plain ...
		GET ?_watch_=true | Authorization: secret; Connection: Upgrade; Upgrade: h2c = 400 plain ...
		GET ?_watch_=true | Authorization: secret; Connection: Upgrade; Upgrade: websocket; Sec-Websocket-Key: dGhlIHNhbXBsZSBub25jZQ==; Sec-Websocket-Version: 8 = 426 plain ...
		GET ?_watch_=true&_token_=secret | $ws; Sec-WebSocket-Protocol: chat, beanfield.json; Origin: https://bad = 403 plain ...
		GET ?_watch_=true&_token_=wrong | $ws; Sec-WebSocket-Protocol: chat, beanfield.json; Origin: https://good = 401 plain ...
		GET ?_watch_=true&_window_=x | Authorization: secret; $ws = 400 plain ...
		nothing`},
	// Each status of the queue has an answer.
	{"failures", plain, `
		answers too-long
		POST = 429 plain queue too long
		PUT ?_indexes_=1 = 429 plain queue too long
		GET ?_watch_=true = 429 plain queue too long
		GET ?_count_=true = 429 plain queue too long
		GET ?_watch_=true | $ws = 429 plain queue too long
		answers ended
		POST = 410 plain the queue has ended
		PUT ?_indexes_=1 = 410 plain the queue has ended
		GET ?_watch_=true = 410 plain the queue has ended
		GET ?_count_=true = 410 plain the queue has ended
		GET ?_watch_=true | $ws = 410 plain the queue has ended
		answers no-room
		POST = 507 plain out of disk or memory
		PUT ?_indexes_=1 = 507 plain out of disk or memory
		GET ?_watch_=true = 507 plain out of disk or memory
		GET ?_count_=true = 507 plain out of disk or memory
		GET ?_watch_=true | $ws = 507 plain out of disk or memory
		answers refused
		POST = 503 plain the server takes no items
		PUT ?_indexes_=1 = 503 plain the server takes no items
		GET ?_watch_=true = 503 plain the server takes no items
		GET ?_count_=true = 503 plain the server takes no items
		GET ?_watch_=true | $ws = 503 plain the server takes no items
		answers failed
		POST = 500 plain internal error
		PUT ?_indexes_=1 = 500 plain internal error
		GET ?_watch_=true = 500 plain internal error
		GET ?_count_=true = 500 plain internal error
		GET ?_watch_=true | $ws = 500 plain internal error
		answers more
		POST = 500 plain internal error
		PUT ?_indexes_=1 = 500 plain internal error
		GET ?_watch_=true = 500 plain internal error
		GET ?_count_=true = 500 plain internal error
		GET ?_watch_=true | $ws = 500 plain internal error
		times leave 0`},
	{"batches", lettingIn, `
		answers id=41
		POST ?_batch_=true | Authorization: secret; Content-Type: application/x-ndjson;charset=utf-8 | {"data":"a","tags":{"k":"v"}}\n\r\n{"data64":"/w==","priority":3}\r\n{} = 200 json [41,41,41]
		asks put 1 s ...k=v...ID=41 Pri=1024 a
		asks put 2 s ...requestId=...ID=41 Pri=1021 \xff
		asks put 3 s ...requestId=...ID=41 Pri=1024
		POST ?_batch_=true | Authorization: secret; $lines = 200 json []
		forget
		POST ?_batch_=true | Authorization: secret; $lines | {}\nx = 400 plain line 2: ...
		POST ?_batch_=true | Authorization: secret; $lines | {}\n{"data":"a","data64":"YQ=="} = 400 plain line 2: ...
		POST ?_batch_=true | Authorization: secret; $lines | {}\n{"data64":"?"} = 400 plain line 2: ...
		POST ?_batch_=true | Authorization: secret; $lines | {}\n{} {} = 400 plain line 2: ...
		POST ?_batch_=true | Authorization: secret; $lines | {}\n{"priority":"1"} = 400 plain line 2: ...
		POST ?_batch_=true | Authorization: secret; $lines | {}\n{"tags":{"":"x"}} = 400 plain line 2: ...
		POST ?_batch_=true | Authorization: secret; $lines | {}\n{"tags":{"_x_":"x"}} = 400 plain line 2: ...
		POST ?_batch_=true | Authorization: secret; $lines | {}\n{"tags":{"a":1}} = 400 plain line 2: ...
		POST ?_batch_=true | Authorization: secret; $lines | {}\n{"data":"\xff"} = 400 plain line 2: ...
		POST ?_batch_=true | Authorization: secret; $lines | {}\n{"tags":{"a":"$(v*5000)"}} = 400 plain line 2: ...
		POST ?_batch_=true | Authorization: secret; $lines | {}\n$({}\n*40000) = 413
		POST ?_batch_=true | Authorization: secret | {} = 415
		nothing`},
	// A token that a rule knows is never stored: not as an item, nor as one of a batch, of which then nothing is.
	{"known tokens are no items", guarding, `
		rules put stats
		POST | Authorization: put | oauth stats = 400 plain ...shows a token...
		POST ?_batch_=true | Authorization: put; $lines | {"data": "x"}\n{"data": "oauth stats"} = 400 plain ...shows a token...
		POST | Authorization: put | oauth stats and more = 400 plain ...shows a token...
		POST ?_batch_=true | Authorization: put; $lines | {"data": "x"}\n{"data": "oauth stats and more"} = 400 plain ...shows a token...
		POST | Authorization: put | oauth  stats $(x*9000) = 400 plain ...shows a token...
		POST ?_batch_=true | Authorization: put; $lines | {"data": "x"}\n{"data": "oauth  stats $(x*9000)"} = 400 plain ...shows a token...
		POST ?_batch_=true | Authorization: put; $lines | {"data64": "b2F1dGggc3RhdHM="} = 400 plain ...shows a token...
		POST ?_batch_=true | Authorization: put; $lines | {"data64": "b2F1dGggc3RhdHMgYW5kIG1vcmU="} = 400 plain ...shows a token...
		nothing
		POST | Authorization: put | oauth other = 200
		POST ?_batch_=true | Authorization: put; $lines | {"data": "x"}\n{"data": "oauth other"} = 200`},
	{"without rules no token is known", plain, `
		POST | | oauth stats = 200`},
	// A request whose body comes slowly is judged again when it has come.
	{"rights that are lost before the body has come", guarding, `
		rules put
		a dials
		a writes POST /api/predict/s HTTP/1.1\r\nHost: localhost\r\nAuthorization: put\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nab
		a reads HTTP/1.1 100 Continue\r\n\r\n
		rules all
		a writes cd
		a responds 403
		rules put
		a dials
		a writes POST /api/predict/s?_batch_=true HTTP/1.1\r\nHost: localhost\r\n$lines\r\nAuthorization: put\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n{}\n
		a reads HTTP/1.1 100 Continue\r\n\r\n
		rules all
		a writes {}\n
		a responds 403
		rules reserve
		a dials
		a writes PUT /api/predict/s?_negative_=true&_indexes_=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: reserve\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n_code_=
		a reads HTTP/1.1 100 Continue\r\n\r\n
		rules all
		a writes Busy
		a responds 403
		rules peek
		a dials
		a writes GET /api/predict/s?_auto_delete_=false HTTP/1.1\r\nHost: localhost\r\nAuthorization: peek\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nab
		a reads HTTP/1.1 100 Continue\r\n\r\n
		rules all
		a writes cd
		a responds 403
		rules reserve
		a dials
		a writes PUT /api/predict/s HTTP/1.1\r\nHost: localhost\r\nAuthorization: reserve\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n_indexes_
		a reads HTTP/1.1 100 Continue\r\n\r\n
		rules all
		a writes =1
		a responds 403
		nothing`},
	// What programs send, of which some have no Host, and what names the server otherwise. Host does not count if the
	// line names a server.
	{"programs", plain, `
		a dials
		a writes GET /api/predict/s?_attrs_=true HTTP/1.0\r\n\r\n
		a responds 200
		a dials
		a writes GET /api/predict/s?_attrs_=true HTTP/1.1\r\nHost:\r\n\r\n
		a responds 200
		a dials
		a writes GET http://localhost/api/predict/s?_attrs_=true HTTP/1.1\r\nHost: evil.example\r\n\r\n
		a responds 200
		a dials
		a writes GET /api/predict/s?_attrs_=true HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Host: evil.example\r\n\r\n
		a responds 200
		a dials
		a writes GET http://evil.example/api/predict/s HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Host: localhost\r\n\r\n
		a responds 421
		b watches | Origin: https://localhost/api/predict/s
		b watches | Origin: https://localhost`},
	// What cannot be a header is no request id, and a get of no items is a mistake.
	{"odd requests", plain, `
		POST ?requestId=a%0Ab | | x = 400
		POST ?requestId=%00 | | x = 400
		POST ?requestId=%7f | | x = 400
		POST ?requestId=%C2%85 | | x = 400
		GET ?requestId=a%0Db = 400
		POST ?_batch_=true | $lines | {"tags":{"requestId":"a\tb"}} = 400
		GET ?_length_=0 = 400
		GET ?_length_=0&_auto_delete_=false&_timeout_=1h = 400
		nothing`},
}
