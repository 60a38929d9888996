// Package httpfront receives the clients of the front ends that use package net/http. It does what
// all these front ends need, up to the http.Server itself (Server), and knows none of their requests:
//
//	Acceptor --Welcome--> Front --Accept--> net/http ... Client.Close --Left--> Acceptor
//
// A Front is a conn.FrontEnd to the acceptor for each of its addresses (Over), and a net.Listener to
// net/http. It makes a Client, a net.Conn, of each bare socket. If the address has TLS, a goroutine
// of the client's own makes the handshake first; until that is complete, net/http does not see
// the client.
//
// The front lists a Client until it is closed, whoever has it by then: the handshake, net/http,
// or a front end that has taken it over for WebSocket. So Shutdown reaches every client.
//
// # Who a client is
//
// An Authenticator decides with each request who the client is: by the token that the request has, by
// the client's certificate, by its process if it has a unix socket, and by its address. It
// turns away clients with a wrong token, and slows down those that guess; a right token never
// waits. With rules (package access) it returns the client's subject, which the front end asks
// before each operation. Without rules, the tokens of the front end's own list let clients in, and
// each client may do everything. If there are rules, that list is ignored. A client remembers
// its subject, so a connection with many requests does not go through the rules each time.
//
// # Pages from elsewhere
//
// A browser that reaches the server does what any page in it asks for. So before anybody looks
// at a token, the Guard refuses requests that a page from elsewhere has made:
//
//   - If there is an Origin, it must name the host and port that the request is for, or be listed.
//     SDKs send the address that they dial, perhaps with a path; other programs send none.
//   - If there is a Sec-Fetch-Site, it must be same-origin or none, unless a listed page asks.
//   - A page may have its own name lead to this server after it has been loaded. Then both are one
//     site to the browser. So on a loopback address, the Host must be an address, localhost or a
//     listed name, unless a token is needed.
//
// The Origin of a GET is missing if the page wants no answer, and Sec-Fetch-Site is missing if
// the request goes over plain HTTP to an address that is not loopback. Where both are missing, the
// guard cannot help: only a token or a certificate does. Headers that proxies add are not looked at.
//
// # Invariants
//
//	HA1  When a client has been closed, whoever closed it, the acceptor is told once that it
//	     has left.
//	HA2  No client outlives Shutdown, and the goroutine of a handshake ends with its client.
//	HA3  A client of a listener with TLS comes to net/http only when its handshake is complete.
//	HA4  No front end sees a request that its guard refuses.
package httpfront
