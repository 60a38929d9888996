package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"beanfield/conn"
	"beanfield/conn/admin/history"
	"beanfield/router"
	"beanfield/router/schedule"
	"beanfield/shard/queue/policy"
	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/tally"
)

// bench is a console over shards of its own, behind a socket.
type bench struct {
	t      *testing.T
	router *router.Router
	url    string
	rights Rights  // of whoever asks
	told   []Event // since the rights were changed by may
}

// options are those of a console for whom everybody may do everything.
func options(r *router.Router) Options {
	return Options{
		Router: r, MaxJobSize: func() int { return 1 << 20 }, Version: "test", Started: time.Now(),
		LimitsFor: func(string) *policy.Limits { return &policy.Limits{} }, May: func(*http.Request) Rights {
			return Rights{Act: true}
		},
		Policies: conn.NoPolicies(), Schedules: func() []schedule.Info { return nil },
		Exposes: func([]byte) bool { return false }, Tell: func(*http.Request, Event) {},
		History: func() *history.Charts { return nil }, Latency: func() map[string]*tally.Reading { return nil },
	}
}

// newBench may do everything, until the test says otherwise.
func newBench(t *testing.T, set ...func(*Options)) *bench {
	t.Helper()
	r := must.Get(router.New(router.Options{Shards: 3, Store: storage.Memory()}))
	o := options(r)
	b := &bench{t: t, router: r, rights: Rights{Act: true}}
	o.May = func(*http.Request) Rights { return b.rights }
	o.Tell = func(_ *http.Request, d Event) { b.told = append(b.told, d) }
	for _, fn := range set {
		fn(&o)
	}
	c := must.Get(New(o))
	s := httptest.NewServer(c)
	t.Cleanup(func() {
		s.Close()
		must.Do(t, r.Close())
	})
	b.url = s.URL
	return b
}

// may changes what whoever asks may do, as subject reads it.
func (b *bench) may(grants string) { b.rights.Subject, b.told = subject(b.t, grants), nil }

// ask sends a request and returns the answer.
func (b *bench) ask(method, path string, body string, headers ...string) (int, []byte, http.Header) {
	b.t.Helper()
	r := must.Get(http.NewRequest(method, b.url+path, strings.NewReader(body)))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer := must.Get(http.DefaultClient.Do(r))
	defer answer.Body.Close()
	text := must.Get(io.ReadAll(answer.Body))
	return answer.StatusCode, text, answer.Header
}

// get reads what must be answered with this status.
func (b *bench) get(status int, path string) []byte {
	b.t.Helper()
	is, text, _ := b.ask("GET", apiPath+path, "")
	if is != status || !json.Valid(text) {
		b.t.Fatalf("%s: %d %s, want %d", path, is, text, status)
	}
	return text
}

// shown is an answer.
func shown[T any](b *bench, path string) (a T) {
	b.t.Helper()
	must.Do(b.t, json.Unmarshal(b.get(http.StatusOK, path), &a))
	return a
}

// post acts, and wants this status.
func (b *bench) post(status int, name string, say any) (a answered) {
	b.t.Helper()
	body := must.Get(json.Marshal(say))
	is, text, _ := b.ask("POST", apiPath+name, string(body), "Content-Type", "application/json")
	if is != status {
		b.t.Fatalf("%s %s: %d %s, want %d", name, body, is, text, status)
	}
	json.Unmarshal(text, &a)
	return a
}

type fields map[string]any

// counts are the numbers of ready, delayed and buried jobs of a tube.
func (b *bench) counts(tube string) [3]int {
	b.t.Helper()
	a := shown[tubeAnswer](b, "tube?name="+tube)
	return [3]int{a.Tube.Ready, a.Tube.Delayed, a.Tube.Buried}
}

func (b *bench) expect(tube string, ready, delayed, buried int) {
	b.t.Helper()
	if is, want := b.counts(tube), [3]int{ready, delayed, buried}; is != want {
		b.t.Errorf("%s has %v jobs that are ready, delayed and buried, want %v", tube, is, want)
	}
}

// search returns all bodies with " 7" that a search comes to, four at a time.
func (b *bench) search(query url.Values) (texts []string) {
	b.t.Helper()
	query.Set("state", "all")
	query.Set("find", " 7")
	query.Set("n", "4")
	for from := uint64(0); ; {
		query.Set("from", fmt.Sprint(from))
		a := shown[jobsAnswer](b, "jobs?"+query.Encode())
		if len(a.Jobs) > 4 {
			b.t.Fatalf("%d jobs are found at once", len(a.Jobs))
		}
		for _, j := range a.Jobs {
			texts = append(texts, *j.Text)
		}
		if from = a.Next; from == 0 {
			slices.Sort(texts)
			return texts
		}
	}
}

func TestSearch(t *testing.T) {
	b := newBench(t)
	for i := range 150 {
		b.post(200, "put", fields{"tube": fmt.Sprint("t", i%2), "data": fmt.Sprintf("number %d <b>", i),
			"delay": i % 3})
	}
	want := []string{"number 70 <b>", "number 72 <b>", "number 74 <b>", "number 76 <b>", "number 78 <b>"}
	all := slices.Concat([]string{"number 7 <b>"}, want, []string{"number 71 <b>", "number 73 <b>", "number 75 <b>",
		"number 77 <b>", "number 79 <b>"})
	slices.Sort(all)
	for _, e := range []struct {
		query url.Values
		want  []string
	}{
		{url.Values{"tube": {"t0"}}, want}, {url.Values{"filter": {"*0"}}, want}, {url.Values{}, all},
		{url.Values{"filter": {"u"}}, nil},
	} {
		if texts := b.search(e.query); !slices.Equal(texts, e.want) {
			t.Errorf("%v: found %q, want %q", e.query, texts, e.want)
		}
	}
}

// What another site's page can make a browser send without asking the server does nothing, and
// neither does a GET. (Package httpfront looks at the origin.)
func TestOtherSites(t *testing.T) {
	b := newBench(t)
	const say = `{"tube":"a","data":"x"}`
	kind := []string{"Content-Type", "application/json"}
	for _, e := range []struct {
		status  int
		method  string
		body    string
		headers []string
	}{
		{200, "POST", say, kind},
		{200, "POST", say, append(kind, "Origin", b.url, "Sec-Fetch-Site", "same-origin")},
		{415, "POST", say, []string{"Content-Type", "text/plain"}},
		{415, "POST", say, []string{"Content-Type", "application/x-www-form-urlencoded"}},
		{415, "POST", say, nil},
		{405, "GET", "", kind},
		{405, "PUT", say, kind},
		{400, "POST", `{"tube":"a","data":"x","odd":1}`, kind},
		{400, "POST", `{"tube":"no way","data":"x"}`, kind},
		{400, "POST", `{"tube":"-a","data":"x"}`, kind},
		{400, "POST", `{"tube":"a","base64":"?"}`, kind},
		{400, "POST", `[`, kind},
		{413, "POST", `{"tube":"a","data":"` + strings.Repeat("x", 1<<20+1) + `"}`, kind},
		{413, "POST", `{"tube":"a","data":"` + strings.Repeat("x", 3<<20) + `"}`, kind},
	} {
		if status, text, _ := b.ask(e.method, apiPath+"put?tube=a&data=x", e.body, e.headers...); status != e.status ||
			!json.Valid(text) {
			t.Errorf("%s %.40q %q: %d %s, want %d", e.method, e.body, e.headers, status, text, e.status)
		}
	}
	b.expect("a", 2, 0, 0)
}

func TestReadOnly(t *testing.T) {
	b := newBench(t)
	b.rights.Act = false
	for name := range actors {
		b.post(403, name, fields{"tube": "a", "data": "x"})
	}
	if o := shown[overviewAnswer](b, "overview"); o.Act || o.Draining || o.Tubes != 1 {
		t.Errorf("somebody who may only read has changed something, or is told that he may: %+v", o)
	}
}

// The pages come from here alone, and make no HTML of a string.
func TestPages(t *testing.T) {
	b := newBench(t)
	status, text, h := b.ask("GET", "/", "")
	if status != 200 || !bytes.Contains(text, []byte("<title>beanfield")) || !bytes.Contains(text, []byte("Loading…")) {
		t.Errorf("the page is %d %.80s", status, text)
	}
	for key, want := range map[string]string{"Content-Security-Policy": contentPolicy,
		"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY"} {
		if h.Get(key) != want {
			t.Errorf("%s is %q", key, h.Get(key))
		}
	}
	if status, _, _ := b.ask("POST", "/", ""); status != 405 {
		t.Errorf("POST / is answered %d", status)
	}
	html := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|srcdoc|eval\(|new ` +
		`Function|[ "']style=|\bon[a-z]+="|https?://`)
	total := 0
	fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := files.ReadFile(path)
		if total += len(text); err != nil {
			t.Error(err)
		}
		for _, found := range html.FindAllString(strings.ReplaceAll(string(text), "http://www.w3.org/2000/svg", ""),
			-1) {
			t.Errorf("%s has %q", path, found)
		}
		return nil
	})
	if total > 128<<10 {
		t.Errorf("the pages have %d bytes", total)
	}
}
