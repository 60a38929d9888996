package ownership

import (
	"fmt"
	"strings"
	"testing"
)

// O3, O5, O6, O7, O9 and P8: what one election does when it is told this.
func TestTalks(t *testing.T) {
	for name, steps := range map[string]string{
		"O6: an answer is given when its promise is kept, and not by a process that has just started": `
			1099999999ns; a beat 2; keep is 0; 900000001ns
			a beat 3; answers is none; keep is 1; promise is 3; 1ms; kept; answers is a 5 granted
			1s; a beat 2; answers is a 5 refused, promised 3; a beat 3; answers is a 5 granted
			again; 3s; a beat 2; answers is a 5 refused, promised 3; a beat 3; answers is a 5 granted`,
		"O5: a blank node is shown only what was appended after it had told its life": `elected 55
			shown is map[c:[55]]; a hello {"report":{"life":66}}; shown is map[c:[55]]; blank is map[a:66]
			landed 8; shown is map[c:[55]]; landed 9; shown is map[a:[66] c:[55]]; blank is map[]`,
		"P8: purges go up to what every copy has said that counts; one that has not said it counts from 0": `elected
			copy 80; kept; a answer 70; begin is 1; round 1 70; least is 0
			leave c; given c is true; round 1 70; least is 70; refused leave a is true
			unleave c; round 1 70; least is 0; c answer 30; round 1 70; least is 30
			round 8 70; least is 30; purge is 1; purged is [30] 30`,
		"P8: a late answer does not say what a copy has now": `elected; copy 80; kept; c answer 90; 500ms
			a answer {"sent":-300,"report":{"durable":[3]}}; least is 3
			a answer {"sent":-400,"report":{"durable":[70]}}; least is 3
			a answer {"sent":-200,"report":{"durable":[5]}}; least is 5`,
		"P8: a node sees whether the owner counts anything of its copy": `waited
			200ms; tick; nothing is false; silent is false; 200ms; tick; nothing is true; silent is true
			600ms; a beat 3; nothing is true; a beat {"epochs":[3],"counted":{"b":[7]}}; nothing is false
			a beat {"epochs":[3],"counted":{"b":[0],"c":[9]}}; nothing is true`,
		"O3: a lease that has lapsed ends the term before anything else happens": `elected; kept; a answer 0
			serves is true; 1s; a answer {"sent":-500000000}; lose is 1; role is follower
			5s; tick; unfit is the server has not ended an earlier term yet`,
		"O3: who has answered nobody yet waits for a Limit, and has the lease back with the next answers": `elected
			kept; a answer 0; 1s; tick; role is elected; lose is 0; serves is false
			1ns; a answer 0; role is owner; begin is 1; 1s; tick; 2s; tick; role is follower; lose is 1`,
		"O7: an owner whose process is another one by now serves no more; a late message ends nothing": `1s
			a beat 3; a hello {"nonce":100,"report":{"role":"candidate"}}; owner is none; silent is true
			a beat {"epochs":[4],"nonce":100}; a hello; owner is a; silent is false`,
		"O7: candidacies that came to nothing before somebody owned the shards do not count, whoever has heard it": `
			c hello {"report":{"failures":3}}; a beat {"epochs":[3],"report":{"role":"owner"}}
			c hello {"report":{"failures":3}}; limit is 2s; c hello {"report":{"failures":4}}; limit is 4s
			c hello; limit is 2s; c hello {"report":{"failures":2}}; limit is 8s
			c hello {"report":{"failures":-1}}; limit is 2s; c hello {"report":{"failures":99999999999}}; limit is 32s`,
		"O9: an owner that cannot append hands over, and its term is over if that takes too long": `elected; kept
			a answer 0; waits 11999999999ns; round 1 0; role is owner; waits 12s; round 1 0; round 1 0
			role is leaving; leave is 1; waits 24s; round 1 0; lose is 1; role is follower`,
		"O9: and it says that it could not go on": `elected; kept; a answer 0; waits 12s; round 2 0
			role is leaving; end; ended is to a, unwell true`,
		"O9: an owner with a fault hands over as soon as another node is fit, and says that it cannot go on": `elected
			kept; a answer 0; c answer {"report":{"fit":false}}; a answer {"report":{"fit":false}}; fault no engine
			1ns; tick; role is owner; 1ns; a answer 0; 1ns; tick; role is leaving; leave is 1
			report is fit false, broken true, no engine; end; ended is to a, unwell true
			10s; tick; role is follower`,
		"O7: which of two processes is gone shows by who is heard on": `a hello {"nonce":100}; a hello; 1399999999ns
			a hello {"nonce":100}; 1ns; tick; alive a is false; a hello {"nonce":100}; alive a is true`,
		"an owner that is drained while it waits for its lease leaves as soon as it has it back": `elected; kept
			a answer 0; 1s; drain; role is elected; tick; 1ns; a answer 0; 1ns; tick; role is leaving; leave is 1`,
		"a copy is fetched from a node whose own is whole; a damaged one counts for other shards": `elected
			a answer 5; c answer 5; source is a true
			a answer {"report":{"durable":[5],"damaged":[0]}}; source is c true
			c answer {"report":{"durable":[5],"damaged":[0]}}; source is a false
			a answer {"report":{"durable":[5],"damaged":[1]}}; source is a true; a answer 5; source is a true`,
	} {
		t.Run(name, func(t *testing.T) { hold(t, steps) })
	}
}

// Messages of another version, another cluster or a stranger change nothing.
func TestRefusedMessages(t *testing.T) {
	for _, other := range []string{`"v":3`, `"cluster":"other"`, `"from":"x"`, `"epochs":[3,3]`, `"to":"c"`} {
		hold(t, fmt.Sprintf(`promised 3; 2s; a beat {"epochs":[3],%s}; answers is none; owner is none`, other))
	}
}

// O7: of two that could stand, the first in the order does; the other one waits a Step, and postpone if the first one
// stands, however long it does. Where words are late it waits for the one that the first one stands, but not for ever.
func TestOrderOfCandidates(t *testing.T) {
	const owned = `a hello {"report":{"silent":false,"fit":false}}; c hello {"report":{"silent":false,"fit":false}}
		tick; 500ms;`
	for _, then := range []string{
		`a hello; 149999999ns; tick; stand is 0; 1ns; tick; stand is 1`,
		`a hello {"report":{"fit":false}}; tick; stand is 1`,
		`a hello {"report":{"role":"candidate"}}; 749999999ns; tick; stand is 0; 1ns; tick; stand is 1`,
		`a hello {"report":{"role":"candidate"}}; 300ms; a hello {"report":{"role":"candidate"}}; 299999999ns
			a hello {"report":{"role":"candidate"}}; 150ms; tick; stand is 0; 1ns; tick; stand is 1`,
	} {
		hold(t, strings.Repeat(owned, 4)+"vacant; c hello;"+then)
	}
	for late, waits := range map[string]string{"100ms": "249999999ns", "700ms": "649999999ns"} {
		hold(t, strings.Repeat(owned, 4)+fmt.Sprintf(`vacant; a hello {"report":{"silent":false}}; %s; a hello
			%s; tick; stand is 0; 1ns; tick; stand is 1`, late, waits))
	}
}

// O7: a node stands again soon after a candidacy that has come to nothing, whatever else has.
func TestStandsAgain(t *testing.T) {
	const others = `a hello {"report":{"fit":false}}; c hello {"report":{"fit":false,"failures":9}}; tick;`
	hold(t, "2s; tick; vacant;"+others+"stand is 1; 32s;"+others+"role is follower;"+strings.Repeat("1s;"+others, 4)+
		"stand is 2")
}

// A node hears programs of its major version, also newer ones, with fields that nobody knows yet, and older ones, which
// had only what is needed. A kind that it does not know is a hello.
func TestMinorVersions(t *testing.T) {
	for _, beat := range []string{
		`{"v":2,"kind":"beat","cluster":"test","from":"a","nonce":99,"epochs":[3],"sent":5,"over":[0],"later":{"a":1},
			"report":{"role":"owner","fit":true,"places":[0],"durable":[0],"mood":["good"]}}`,
		`{"v":2,"kind":"beat","cluster":"test","from":"a","nonce":99,"epochs":[3],"sent":5,
			"report":{"role":"owner","fit":true,"places":[0],"durable":[0]}}`,
	} {
		hold(t, "promised 3; 2s; raw "+strings.ReplaceAll(beat, "\n", "")+`; answers is a 5 granted; owner is a
			strange a is none; raw {"v":2,"kind":"dance","cluster":"test","from":"a","nonce":99}; alive a is true
			answers is none`)
	}
}

// A node refuses messages of another major version, says why, and knows when most nodes have one. What else is
// in such a message may be anything.
func TestMajorVersions(t *testing.T) {
	for _, version := range []int{Major - 1, Major + 1} {
		beat := fmt.Sprintf(`raw {"v":%d,"kind":"beat","cluster":"test","from":"a","epochs":[3],"later":1};`, version)
		why := fmt.Sprintf("its messages have version %d, this program () knows 2", version)
		hold(t, "promised 3; 2s;"+strings.Repeat(beat, 3)+`answers is none; alive a is false; owner is none
			logged is 1; alone is none; strange a is `+why+`
			raw `+fmt.Sprintf(`{"v":%d,"cluster":"test","from":"c","kind":7,"report":[]}`, version)+`
			alone is node c: `+why+`; c hello; alone is none; strange c is none`)
	}
	for _, data := range []string{"", "[]", `{"v":2,"kind":7,"from":"a","cluster":"test"}`} {
		k := hold(t, "promised 3; raw "+data+"; alive a is false")
		if k.Strange("a")+k.Strange("") == "" {
			t.Errorf("%s is a message", data)
		}
	}
}
