package audit

import (
	"encoding/json"
	"time"
)

// Event is something that a client did or tried to do. What is empty is left out.
type Event struct {
	Time     time.Time `json:"time"` // set by Tell
	Who      string    `json:"who,omitempty"`
	From     string    `json:"from,omitempty"`
	FrontEnd string    `json:"face,omitempty"`
	What     string    `json:"what"`
	Tube     string    `json:"tube,omitempty"`
	ID       uint64    `json:"id,omitempty"`
	Detail   string    `json:"detail,omitempty"` // such as how many jobs, or another tube
	Refused  bool      `json:"refused,omitempty"`
}

// loss is the line in place of events that were lost.
type loss struct {
	Time time.Time `json:"time"`
	Lost uint64    `json:"lost"`
}

// appendLine appends an Event or a loss.
func appendLine(b []byte, of any) []byte {
	text, err := json.Marshal(of)
	if err != nil {
		panic("audit: " + err.Error()) // neither has anything that JSON cannot say
	}
	return append(append(b, text...), '\n')
}
