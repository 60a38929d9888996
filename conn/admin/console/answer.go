package console

import (
	"encoding/json"
	"errors"
	"net/http"
)

// problem is why a request is refused.
type problem struct {
	status int
	text   string
}

func (p *problem) Error() string { return p.text }

// wrong is a mistake of the client's.
func wrong(text string) error { return &problem{http.StatusBadRequest, text} }

// busy is what a page is told if the shards have not answered.
var busy = &problem{http.StatusServiceUnavailable, "the server is too busy to answer"}

func refuse(w http.ResponseWriter, err error) {
	p := &problem{http.StatusInternalServerError, err.Error()}
	errors.As(err, &p)
	reply(w, p.status, map[string]string{"error": p.text})
}

func reply(w http.ResponseWriter, status int, answer any) {
	text, err := json.Marshal(answer)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be encoded"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(text)
}
