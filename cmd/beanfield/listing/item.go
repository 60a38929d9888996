package listing

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
	"beanfield/storage"
)

// itemLine is what a job has for the queue service, as JSON. What is empty is left out.
type itemLine struct {
	Tags       map[string]string `json:"tags,omitempty"`
	TagsBase64 []byte            `json:"tags_base64,omitempty"` // if they are no text
	Moved      bool              `json:"moved,omitempty"`
	Rebalances uint32            `json:"rebalances,omitempty"`
	DeadLetter string            `json:"dead_letter,omitempty"` // what becomes of it
	Negative   *negative         `json:"negative,omitempty"`
	Done       []uint32          `json:"done,omitempty"`     // numbers of views
	Returned   map[uint32]uint32 `json:"returned,omitempty"` // by views, how often
	*optionsLine
	LeavesFor string `json:"leaves_for,omitempty"`
	Been      []been `json:"been,omitempty"`
}

// been says when a job became a dead letter, in which tube and why, and how often it had been delivered by then.
type been struct {
	Tube     string `json:"tube"`
	Why      string `json:"why"`
	When     string `json:"when"`
	Reserves uint32 `json:"reserves"`
	Timeouts uint32 `json:"timeouts"`
	Releases uint32 `json:"releases"`
}

// negative is what the last one said.
type negative struct {
	Code   string `json:"code"`
	Reason string `json:"reason"`
}

// deadLetters are the words for what a log keeps as a fate, from 1 on.
var deadLetters = map[uint8]string{
	uint8(policy.FateRear) + 1: "rear", uint8(policy.FateDrop) + 1: "drop", uint8(policy.FateBury) + 1: "bury",
	uint8(policy.FateTube) + 1: "tube",
}

func itemLineOf(i *storage.Item) *itemLine {
	line := &itemLine{Moved: i.Moved, Rebalances: i.Rebalances, Done: i.Done}
	line.Tags, line.TagsBase64 = tagsOf(i.Tags)
	for _, v := range i.Returned {
		if line.Returned == nil {
			line.Returned = map[uint32]uint32{}
		}
		line.Returned[v.View] = v.Times
	}
	if i.Fate > 0 {
		if line.DeadLetter = deadLetters[i.Fate]; line.DeadLetter == "" {
			line.DeadLetter = fmt.Sprint(i.Fate)
		}
	}
	line.optionsLine = optionsLineOf(i)
	if y := i.Route; y != nil {
		line.LeavesFor = y.To
		for _, t := range queue.Traces(y.Traces) {
			line.Been = append(line.Been, been{t.From, t.Why.String(), moment(t.When), t.Reserves, t.Timeouts,
				t.Releases})
		}
	}
	for code, reason := range queue.Tags(i.Note).All() {
		line.Negative = &negative{string(code), string(reason)}
	}
	return line
}

// tagsOf unpacks tags, or returns them as they are if a part of them is no text.
func tagsOf(packed []byte) (tags map[string]string, raw []byte) {
	tags = make(map[string]string)
	for key, value := range queue.Tags(packed).All() {
		if !utf8.Valid(key) || !utf8.Valid(value) {
			return nil, packed
		}
		tags[string(key)] = string(value)
	}
	if string(queue.MakeTags(tags)) != string(packed) {
		return nil, packed
	}
	return tags, nil
}

// itemText is the same as text, behind the job's counters: the JSON object, if there is
// something in it.
func itemText(i *storage.Item) string {
	text, err := json.Marshal(itemLineOf(i))
	if err != nil || string(text) == "{}" {
		return ""
	}
	return " item " + string(text)
}

// queueLine is what is kept of a queue, as JSON.
type queueLine struct {
	Type  string     `json:"type"`
	Tube  string     `json:"tube"`
	First string     `json:"first,omitempty"` // the first group
	Ended bool       `json:"ended,omitempty"`
	Next  uint32     `json:"next_view"`
	Views []viewLine `json:"views,omitempty"`
	Notes []noteLine `json:"notes,omitempty"`
	Shard *int       `json:"shard,omitempty"`
}

type viewLine struct {
	Number     uint32            `json:"number"`
	Group      string            `json:"group"`
	Start      uint64            `json:"start"`
	Tags       map[string]string `json:"tags,omitempty"`
	TagsBase64 []byte            `json:"tags_base64,omitempty"`
}

// Queue prints what is kept of a queue: its groups.
func (l *Listing) Queue(q *storage.Queue, shard *int) error {
	line := queueLine{Type: "queue", Tube: q.Tube, First: q.First, Ended: q.Ended, Next: q.Next, Shard: shard}
	text := fmt.Sprintf("queue %s first-group %q", q.Tube, q.First)
	if q.Ended {
		text += " ended"
	}
	for _, v := range q.Views {
		view := viewLine{Number: v.Number, Group: v.Name, Start: v.Start}
		view.Tags, view.TagsBase64 = tagsOf(v.Tags)
		line.Views = append(line.Views, view)
		text += fmt.Sprintf(" view %d %q from %d", v.Number, v.Name, v.Start)
	}
	for _, n := range q.Notes {
		line.Notes = append(line.Notes, noteLine{Kind: uint8(n.Kind), Name: n.Name, Value: n.Value})
		text += fmt.Sprintf(" note %d %q %q", n.Kind, n.Name, n.Value)
	}
	if shard != nil {
		text += fmt.Sprintf(" shard %d", *shard)
	}
	return l.Line(line, "%s", text)
}

type noteLine struct {
	Kind  uint8  `json:"kind"`
	Name  string `json:"name"`
	Value []byte `json:"value"`
}
