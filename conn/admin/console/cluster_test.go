package console

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"beanfield/storage/must"
)

// A node that follows has the pages, and tells of the cluster only.
func TestConsoleOfAFollower(t *testing.T) {
	c := must.Get(New(Options{Version: "test", Started: time.Now(), May: func(*http.Request) Rights {
		return Rights{Act: true}
	}, Cluster: told, Serving: func() Serving { return Serving{"a", "b", "http://10.0.0.2:1/</script>"} }}))
	ask := func(method, path string) (int, string) {
		w := httptest.NewRecorder()
		c.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader("{}")))
		return w.Code, w.Body.String()
	}
	for _, e := range []struct {
		method, path string
		status       int
		says         string
	}{
		{"GET", "/", 200, "cluster.js"}, {"GET", "/cluster.js", 200, "function cluster"}, {"GET", "/api/v1/cluster",
			200, `{"owner":"b"}`},
		{"GET", "/api/v1/overview", 200, `"following":true,"node":"a","owner":"b","console":"http://10.0.0.2:1/\u003c/script\u003e"}`}, {"GET", "/api/v1/tubes", 503, "only follows"},
		{"POST", "/api/v1/put", 503, "only follows"},
		{"POST", "/api/v1/drain", 503, "only follows"}, {"GET", "/api/v1/nothing", 404, "nothing of this name"},
	} {
		if status, body := ask(e.method, e.path); status != e.status || !strings.Contains(body, e.says) {
			t.Errorf("%s %s: %d %s", e.method, e.path, status, body)
		}
	}
}
