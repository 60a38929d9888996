package client

import (
	"encoding/json"
	"testing"
)

func TestDocument(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"numbers", "---\nid: 7\npri: 1024\ntime-left: -3\nrusage-utime: 0.001200\n",
			`{"id":7,"pri":1024,"time-left":-3,"rusage-utime":0.001200}`},
		{"truth", "---\ndraining: false\npid: 1\n", `{"draining":false,"pid":1}`},
		{"the server's id is text", "---\npid: 12\nid: 1234567890123456\n", `{"pid":12,"id":"1234567890123456"}`},
		{"names are text", "---\nname: 123\ntube: true\nversion: 1.12\n",
			`{"name":"123","tube":"true","version":"1.12"}`},
		{"quoted", "---\nname: \"1e3\"\nos: \"#1 \\\"SMP\\\"\"\n", `{"name":"1e3","os":"#1 \"SMP\""}`},
		{"quoted, nothing escaped", "---\nos: \"a \\ \"b\"\"\n", `{"os":"a \\ \"b\""}`},
		{"colons", "---\nos: #1 SMP: 12:30\n", `{"os":"#1 SMP: 12:30"}`},
		{"odd numbers", "---\nx: 007\ny: 1e3\nz: \n", `{"x":"007","y":"1e3","z":""}`},
	} {
		d, err := ParseDocument([]byte(c.body))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got, err := json.Marshal(d); string(got) != c.want || err != nil {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
	if _, err := ParseDocument([]byte("---\nnonsense\n")); err == nil {
		t.Error("a line without a key is read")
	}
}

func TestAddress(t *testing.T) {
	for text, want := range map[string]address{
		"h":                     {"tcp", "h:11300", "h", false},
		"h:1":                   {"tcp", "h:1", "h", false},
		":1":                    {"tcp", "localhost:1", "localhost", false},
		"[::1]:1":               {"tcp", "[::1]:1", "::1", false},
		"[::1]":                 {"tcp", "[::1]:11300", "::1", false},
		"::1":                   {"tcp", "[::1]:11300", "::1", false},
		"beanstalk://h":         {"tcp", "h:11300", "h", false},
		"beanstalk://h:1/":      {"tcp", "h:1", "h", false},
		"beanstalks://h":        {"tcp", "h:11400", "h", true},
		"beanstalks://[::1]:11": {"tcp", "[::1]:11", "::1", true},
		"unix:/run/b":           {"unix", "/run/b", "", false},
		"unix:///run/b":         {"unix", "/run/b", "", false},
		"unix:b":                {"unix", "b", "", false},
	} {
		if got, err := parseAddress(text); got != want || err != nil {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "unix:", "http://h", "beanstalk://", "a:b:c", "u@h", "h/x", "beanstalk://h/x?y",
		"h 1"} {
		if got, err := parseAddress(text); err == nil {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}
