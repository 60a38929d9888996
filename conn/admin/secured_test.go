package admin

import "testing"

// Pages are served over TLS, more than one on a connection.
func TestOverTLS(t *testing.T) {
	h := openHouse(t, true, Options{})
	c := h.Dial()
	for range 2 {
		c.Send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
		c.Expect(200)
	}
}
