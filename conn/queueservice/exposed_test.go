package queueservice

import (
	"encoding/base64"
	"strings"
	"testing"

	"beanfield/conn/access"
)

// A token that a rule knows is never stored: not as an item, nor as one of a batch, of which then
// nothing is.
func TestKnownTokenIsNoItem(t *testing.T) {
	h, book := newGuarded(t)
	const lines = "Content-Type: application/x-ndjson\r\n"
	ways := map[string]func(body string) (query, headers, text string){
		"one": func(body string) (string, string, string) { return "", "", body },
		"batch": func(body string) (string, string, string) {
			return "?_batch_=true", lines, `{"data": "x"}` + "\n" + `{"data": "` + body + `"}`
		},
		"data64": func(body string) (string, string, string) {
			return "?_batch_=true", lines, `{"data64": "` + base64.StdEncoding.EncodeToString([]byte(body)) + `"}`
		},
	}
	for name, way := range ways {
		for _, body := range []string{"oauth stats", "oauth stats and more", "oauth  stats " + strings.Repeat("x", 3*smallBody)} {
			query, headers, text := way(body)
			r, answer := h.Say("POST", "/api/predict/s"+query, auth("put")+headers, text)
			if r.StatusCode != 400 || !strings.Contains(answer, "shows a token") || strings.Contains(answer, "stats") {
				t.Errorf("%s, %.20s: %d %q", name, body, r.StatusCode, answer)
			}
		}
	}
	h.nothing(t)
	for _, way := range ways {
		query, headers, text := way("oauth other")
		h.Expect(200, "POST", "/api/predict/s"+query, auth("put")+headers, text)
	}
	book.Replace((*access.Policy)(nil))
	h.Expect(200, "POST", "/api/predict/s", "", "oauth stats")
}
