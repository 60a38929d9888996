package ownership

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"beanfield/storage/lanes"
	"beanfield/storage/must"
)

// A talk is with one election, of node b among a, b and c, of one shard. It is told in steps, and says what is so then:
//
//	1s                      time passes
//	a beat {"epochs":[3]}   another node says this, with these fields beside the usual ones; "a beat 3" is short for
//	                        it. So is "a answer 70", of a copy that is durable up to 70; "sent" counts from now on
//	raw {"v":2}             these bytes come
//	tick, kept, end         what the Election's owner calls: kept hands in the latest promise
//	round 3 70              time passes from beat to beat, three times, and a answers each with 70
//	elected 55              it stands and wins with epoch 9, while a and c say hello; c has this life. Nobody has
//	                        answered yet
//	decided 1 abd?          the log has this version of the members: a, b and, as a guest, d; "d2" is one whom
//	                        version 2 has let in
//	promised 3              it is a new process, which has promised this; with "again", the latest that was kept
//	role is owner           what is so; "none" is an empty text
type talk struct {
	*testing.T
	*Election
	now    time.Duration
	log    must.Text
	did    map[string]int // how often it has called each Act
	kept   Kept
	purged []uint64
	sent   []*Message // since it was last asked about
	lives  map[string]uint64
}

func (k *talk) Send(m *Message)      { k.sent = append(k.sent, m) }
func (k *talk) Stand()               { k.did["stand"]++ }
func (k *talk) Resign()              {}
func (k *talk) Keep(kept Kept)       { k.did["keep"], k.kept = k.did["keep"]+1, kept }
func (k *talk) Begin([]uint64)       { k.did["begin"]++ }
func (k *talk) Hold(time.Duration)   {}
func (k *talk) Leave()               { k.did["leave"]++ }
func (k *talk) Lose(error)           { k.did["lose"]++ }
func (k *talk) Purge(least []uint64) { k.did["purge"], k.purged = k.did["purge"]+1, least }

// hold holds a talk. What was told before goes on.
func hold(t *testing.T, steps string) *talk {
	k := &talk{T: t}
	k.begin(Kept{Promised: []uint64{0}, Known: []bool{true}}, 0)
	for _, step := range strings.Split(strings.ReplaceAll(steps, "\n", ";"), ";") {
		step = strings.TrimSpace(step)
		if what, want, ok := strings.Cut(step, " is "); ok {
			got := k.is(strings.Fields(what))
			if got = strings.TrimSpace(fmt.Sprint(got)); got == "" {
				got = "none"
			}
			if got != want {
				t.Errorf("%s is %v, want %s", what, got, want)
			}
		} else if step != "" {
			word, rest, _ := strings.Cut(step, " ")
			k.do(word, rest)
		}
	}
	return k
}

// begin begins a process. When it does others are much older.
func (k *talk) begin(kept Kept, waited time.Duration) {
	k.now, k.did, k.lives = 10*time.Second, map[string]int{}, nil
	c := Config{Cluster: "test", Node: "b", Nodes: []string{"a", "b", "c"}, Shards: 1, Nonce: 7, Kept: kept,
		Random: rand.New(rand.NewPCG(1, 1)), Acts: k, Logger: k.log.Logger()}
	if waited > 0 {
		c.Since = k.now - waited
	}
	k.Election = New(c, k.now)
	k.shards[0].read = true
}

// number is what a short word stands for.
func number(word string) uint64 {
	n, _ := strconv.ParseUint(word, 10, 64)
	return n
}

// members are those of a version, as in "2 abc2d?".
func members(text string) (m Members) {
	version, nodes, _ := strings.Cut(text, " ")
	m.Version = number(version)
	for _, c := range nodes {
		switch last := len(m.Nodes) - 1; {
		case c == '?':
			m.Nodes[last].Guest = true
		case c <= '9':
			m.Nodes[last].Since = uint64(c - '0')
		default:
			m.Nodes = append(m.Nodes, Member{Name: string(c)})
		}
	}
	return m
}

// message is what a node says.
func (k *talk) message(node, text string) *Message {
	kind, rest, _ := strings.Cut(text, " ")
	m := &Message{Version: Major, Kind: Kind(kind), Cluster: "test", From: node, Nonce: 99, Report: Report{
		Role: "follower", Fit: true, Silent: true, Promised: []uint64{0}, Places: []uint64{0}, Durable: []uint64{0},
	}}
	short := []uint64{number(rest)}
	switch m.Kind {
	case Beat:
		m.Epochs, m.Sent, m.Over = short, 5, []uint64{0}
	case Answer:
		m.To, m.Epochs, m.Since, m.Report.Durable = "b", []uint64{9}, []time.Duration{time.Hour}, short
	}
	if strings.HasPrefix(rest, "{") {
		must.Do(k.T, json.Unmarshal([]byte(rest), m))
	}
	if m.Kind == Answer {
		m.Sent += k.now
	}
	return m
}

// do does a step.
func (k *talk) do(word, rest string) {
	switch word {
	case "a", "c", "d":
		k.Receive(k.now, k.message(word, rest))
	case "raw":
		k.Receive(k.now, Decode([]byte(rest)))
	case "tick":
		k.Tick(k.now)
	case "kept":
		k.Kept(k.now, k.kept)
	case "end":
		k.End(k.now)
	case "copy":
		k.Copy(0).Place, k.Copy(0).Durable = 100, number(rest)
	case "waits":
		k.Waits = must.Get(time.ParseDuration(rest))
	case "fault":
		k.Fault = rest
	case "decided":
		k.Decided(k.now, 0, members(rest))
	case "landed":
		k.Landed(k.now, 0, number(rest), k.lives)
	case "promised":
		k.begin(Kept{Promised: []uint64{number(rest)}, Known: []bool{true}}, 0)
	case "again":
		k.begin(k.kept, 0)
	case "waited": // for its engine
		k.begin(Kept{}, time.Minute)
	case "vacant":
		k.vacant = k.now
	case Drain, Leave, "unleave":
		must.Do(k.T, k.Obey(k.now, strings.TrimPrefix(word, "un"), rest, word == "unleave"))
	case "round":
		times, answer, _ := strings.Cut(rest, " ")
		for range number(times) {
			k.now += BeatEach
			k.Tick(k.now)
			k.do("a", "answer "+answer)
		}
	case "elected":
		for k.did["stand"] == 0 && k.now < 15*time.Second {
			k.do("a", "hello")
			k.do("c", fmt.Sprintf(`hello {"report":{"life":%d}}`, number(rest)))
			k.Tick(k.now)
			k.now += HelloEach
		}
		k.now -= HelloEach
		k.Changed(k.now, 0, lanes.Candidate, 0, nil)
		k.Changed(k.now, 0, lanes.Owner, 9, nil)
	default:
		k.now += must.Get(time.ParseDuration(word))
	}
}

// is tells what is so.
func (k *talk) is(words []string) any {
	switch what := words[0]; what {
	case "role":
		return [...]string{"follower", "candidate", "elected", "owner", "leaving"}[k.Role()]
	case "owner":
		return k.Owner()
	case "answers":
		var all []string
		for _, m := range k.take(Answer) {
			how := "granted"
			if m.Since[0] < 0 {
				how = fmt.Sprint("refused, promised ", m.Report.Promised[0])
			}
			all = append(all, fmt.Sprintf("%s %d %s", m.To, m.Sent, how))
		}
		return strings.Join(all, "; ")
	case "shown":
		k.take(Beat)
		k.now += BeatEach
		k.Tick(k.now)
		return k.take(Beat)[0].Shown
	case "ended":
		m := k.take(Ended)[0]
		return fmt.Sprint("to ", m.Successor, ", unwell ", m.Unwell)
	case "blank":
		k.lives = k.Blank()
		return k.lives
	case "promise":
		return k.kept.Promised[0]
	case "purged":
		return fmt.Sprint(k.purged, " ", k.Purged(0))
	case "given":
		return k.GivenUp(words[1])
	case "refused":
		return k.Obey(k.now, words[1], words[2], false) != nil
	case "report":
		r := k.Report()
		return fmt.Sprint("fit ", r.Fit, ", broken ", r.Broken, ", ", r.Problems[0])
	case "source":
		name, whole := k.Source(0)
		return fmt.Sprint(name, " ", whole)
	case "may":
		err := k.MayChange(k.now, members(strings.Join(words[1:], " ")))
		if err == nil {
			return ""
		}
		return strings.TrimPrefix(err.Error(), "cluster: ")
	case "strange":
		return k.Strange(words[1])
	case "alive":
		return k.alive(words[1])
	case "logged":
		return strings.Count(k.log.String(), "are refused")
	default:
		return k.state(what)
	}
}

// state tells what needs no more words.
func (k *talk) state(what string) any {
	newest := k.Members()
	all := map[string]any{"least": k.Least(0), "silent": k.Report().Silent, "nothing": k.CountsNothing(0),
		"limit": k.patience(Limit), "alone": k.Alone(), "unfit": k.unfit(),
		"nodes": strings.Join(newest.Voters(), "")}
	if what == "serves" {
		return k.MayAnswer(k.now)
	}
	if is, ok := all[what]; ok {
		return is
	}
	return k.did[what]
}

// take takes what was sent of a kind.
func (k *talk) take(kind Kind) (all []*Message) {
	for _, m := range k.sent {
		if m.Kind == kind {
			all = append(all, m)
		}
	}
	k.sent = nil
	return all
}
