// Package httpfront receives the clients of the front ends that use net/http. It does what all of
// them need, up to the http.Server itself (Server), and knows nothing of their requests:
//
//	Acceptor --Welcome--> Front --Accept--> net/http ... Client.Close --Left--> Acceptor
//
// A Front is a conn.FrontEnd to the acceptor for each of its addresses (Over), and a net.Listener to
// net/http. It turns each socket into a Client, which is a net.Conn. If the address has TLS, a
// goroutine of the client's own makes the handshake first, and only then does net/http see the
// client.
//
// The front lists a Client until it is closed, whoever owns it then: the handshake, net/http, or a
// front end that has taken it over for WebSocket. So Shutdown reaches every client.
//
// # Who a client is
//
// An Authenticator decides for each request who the client is: by the request's token, by the
// client's certificate, by its process if it uses a unix socket, and by its address. It turns away
// clients with a wrong token, and slows down those that guess; a right token never waits. With rules
// (package access) it returns the client's subject, which the front end asks before each operation.
// Without rules, a client needs a token from the front end's own list, if there is one, and may then
// do everything. With rules, that list is ignored. A client remembers its subject, so the rules are
// not searched for each request of a connection.
//
// # Pages from elsewhere
//
// A browser that can reach the server sends what any open page asks for. So before anybody looks at a
// token, the Guard refuses requests made by pages from elsewhere:
//
//   - If there is an Origin, it must name the host and port that the request is for, or be listed.
//     SDKs send the address that they dial, perhaps with a path; other programs send none.
//   - If there is a Sec-Fetch-Site, it must be same-origin or none, unless a listed page asks.
//   - A page's own host name may be pointed at this server after the page has loaded (DNS rebinding).
//     Then both are one site to the browser. So on a loopback address, the Host must be an address,
//     localhost or a listed name, unless a token is needed.
//
// The Origin of a GET is missing if the page wants no answer, and Sec-Fetch-Site is missing if
// the request goes over plain HTTP to an address that is not loopback. Where both are missing, only a
// token or a certificate helps. Headers added by proxies are ignored.
//
// # Invariants
//
//	HA1  When a client has been closed, by whomever, the acceptor is told exactly once that it
//	     has left.
//	HA2  No client outlives Shutdown, and the goroutine of a handshake ends with its client.
//	HA3  A client with TLS reaches net/http only when its handshake is complete.
//	HA4  No front end sees a request that its guard refuses.
package httpfront
