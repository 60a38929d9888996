package ownership

import (
	"encoding/json"
	"time"
)

// Major is the version of the messages. A node refuses those of another one; fields that it does not
// know it leaves alone, and those that are missing are empty. A kind that it does not know says
// no more than a hello.
const Major = 2

// Decode reads a message. One of another version may be whatever that version likes, but for its
// version, its cluster and its sender.
func Decode(data []byte) *Message {
	m := new(Message)
	if json.Unmarshal(data, m) == nil {
		return m
	}
	var head struct {
		Version int    `json:"v"`
		Cluster string `json:"cluster"`
		From    string `json:"from"`
	}
	if json.Unmarshal(data, &head) != nil || head.Version == Major {
		head.Version = 0 // there is none
	}
	return &Message{Version: head.Version, Cluster: head.Cluster, From: head.From}
}

// Kind is what a message is for.
type Kind string

// Each message has its sender's report, whatever it is for.
const (
	Hello  Kind = "hello"  // nothing else
	Beat   Kind = "beat"   // an owner asks whether it may go on
	Answer Kind = "answer" // to a beat
	Ended  Kind = "ended"  // an owner has ended its epochs
)

// Message is what nodes tell each other. All of it may be late, lost or doubled.
type Message struct {
	Version int    `json:"v"`
	Kind    Kind   `json:"kind"`
	Cluster string `json:"cluster"`
	From    string `json:"from"`
	To      string `json:"to,omitempty"` // empty: all
	Nonce   uint64 `json:"nonce"`        // of the sender's process
	Report  Report `json:"report"`

	Epochs []uint64            `json:"epochs,omitempty"` // of a beat, its answer, an end: by shard
	Sent   time.Duration       `json:"sent,omitempty"`   // of a beat, and its answer: by the owner's clock
	Shown  map[string][]uint64 `json:"shown,omitempty"`  // of a beat: lives of blank nodes (P12), by shard
	Over   []uint64            `json:"over,omitempty"`   // of a beat: epochs that have ended (P11), by shard
	// of a beat: what of each node's copies the owner takes for durable
	Counted map[string][]uint64 `json:"counted,omitempty"`
	Since   []time.Duration     `json:"since,omitempty"`   // of an answer, by shard; negative: refused
	Members *Members            `json:"members,omitempty"` // of a beat: the newest; none: version 0

	Handover  bool   `json:"handover,omitempty"`  // of an end: the sender has owned the shards till now
	Successor string `json:"successor,omitempty"` // of an end: who stands at once; empty: whoever is best
	Ordered   bool   `json:"ordered,omitempty"`   // of an end: an operator has chosen the successor
	Unwell    bool   `json:"unwell,omitempty"`    // of an end: the sender could not go on
}

// Report is what a node says of itself.
type Report struct {
	Role    string `json:"role"`
	Version string `json:"version"`
	Fit     bool   `json:"fit"`              // it could own the shards
	Broken  bool   `json:"broken,omitempty"` // a copy is not whole
	// its disk is nearly full, or a copy damaged: rather another node owns the shards
	Low      bool     `json:"low,omitempty"`
	Silent   bool     `json:"silent"` // it has heard no owner for too long
	Drained  bool     `json:"drained,omitempty"`
	Failures int      `json:"failures,omitempty"` // candidacies that have come to nothing since it heard an owner
	Life     uint64   `json:"life,omitempty"`     // not 0: it is blank (P12)
	Since    uint64   `json:"since,omitempty"`    // as whom it has promised something (P17)
	Epochs   []uint64 `json:"epochs,omitempty"`
	Promised []uint64 `json:"promised,omitempty"`
	Places   []uint64 `json:"places,omitempty"`
	Durable  []uint64 `json:"durable,omitempty"`
	Damaged  []int    `json:"damaged,omitempty"` // shards of which its copy is damaged, and in use
	Left     Left     `json:"left,omitzero"`
	Problems []string `json:"problems,omitempty"`
	Addresses
}

// Addresses are where a node is found, besides by its engine.
type Addresses struct {
	Link    int    `json:"link,omitempty"`    // the port at which it takes clients that other nodes pass on; 0: at none
	Console string `json:"console,omitempty"` // a URL; "" if others cannot reach it
}

// Left are the nodes that were given up: their copies hold up no purge. Owners change it; the
// newest counts.
type Left struct {
	Serial uint64   `json:"serial"`
	Nodes  []string `json:"nodes"`
}

// Kept is what a node must know after a restart.
type Kept struct {
	Promised []uint64 `json:"promised"`
	Known    []bool   `json:"known"`           // by shard; what is not known is blank
	Since    uint64   `json:"since,omitempty"` // as whom it has promised that, or will: see Member.Since
	Drained  bool     `json:"drained"`
	Left     Left     `json:"left"`
}
