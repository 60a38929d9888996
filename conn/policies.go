package conn

import (
	"encoding/json"
	"errors"
	"slices"
)

// Policies show and change the policies of tubes, and the schedules that are in the same text, for the
// front ends that administrators use. Any goroutine may call its functions.
type Policies struct {
	// Show has all policies, those that are asked first at the top. It never waits.
	Show func() *PolicyList
	// For is the policy that holds for a tube; not ok if none does. It never waits.
	For func(tube string) (p Policy, ok bool)
	// Set replaces the policies and schedules that were set at run time by those of a text in TOML. version is that
	// of the list that the text was made from, or "". It returns when the change is kept, which may take
	// as long as the disk does. With an error nothing has changed.
	Set func(text, version string) (PolicyChange, error)
}

// ErrPoliciesChanged says that somebody else has changed them meanwhile.
var ErrPoliciesChanged = errors.New("somebody else has changed the policies meanwhile: look again")

// MaxPolicies is how long a text with policies may be, in bytes.
const MaxPolicies = 64 << 10

// PolicyList is what holds. It never changes.
type PolicyList struct {
	Version  string   `json:"version"`  // of those that were set at run time
	Kept     bool     `json:"kept"`     // these outlive the process
	Text     string   `json:"text"`     // of these
	Problems []string `json:"problems"` // what this build does not understand in it
	Policies []Policy `json:"policies"`

	Bodies bool `json:"-"` // the text has bodies of jobs
}

// WithoutBodies is the list for those who may see no bodies: without the text, if that has some. Those who
// may replace the text have to see it, or they would lose what is in it.
func (l *PolicyList) WithoutBodies() *PolicyList {
	if !l.Bodies {
		return l
	}
	without := *l
	without.Text = ""
	return &without
}

// Policy is what holds for tubes whose names match. Settings are those that have not their defaults.
type Policy struct {
	Match    string    `json:"match"`
	From     string    `json:"from"` // PolicyFromFile or PolicyFromRunTime
	Line     int       `json:"line"` // of the file or the text
	HiddenBy string    `json:"hiddenBy,omitempty"`
	Settings []Setting `json:"settings"`
}

// For is the policy for those who see certain tubes only: the names of others are null.
func (p Policy) For(sees func(tube string) bool) Policy {
	p.Settings = slices.Clone(p.Settings)
	for i := range p.Settings {
		if s := &p.Settings[i]; s.Tube != "" && !sees(s.Tube) {
			s.Value = json.RawMessage("null")
		}
	}
	return p
}

// Where policies and schedules come from.
const (
	PolicyFromFile    = "file"
	PolicyFromRunTime = "run time"
)

// Setting is a key with its value, which is written alike in TOML, JSON and YAML.
type Setting struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
	Tube  string          `json:"-"` // that the value names, or ""
}

// PolicyChange is what Set has done.
type PolicyChange struct {
	List    *PolicyList
	Changes string // in words, for logs
}

// NoPolicies are none, which nobody can change.
func NoPolicies() *Policies {
	none := &PolicyList{Problems: []string{}, Policies: []Policy{}}
	return &Policies{
		Show: func() *PolicyList { return none },
		For:  func(string) (Policy, bool) { return Policy{}, false },
		Set: func(string, string) (PolicyChange, error) {
			return PolicyChange{}, errors.New("this server has no policies")
		},
	}
}
