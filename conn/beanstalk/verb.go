package beanstalk

// verb is a command of the protocol.
type verb uint8

const (
	verbNone verb = iota
	verbPut
	verbPeek
	verbPeekReady
	verbPeekDelayed
	verbPeekBuried
	verbReserveTimeout
	verbReserveJob
	verbReserve
	verbDelete
	verbRelease
	verbBury
	verbKick
	verbKickJob
	verbTouch
	verbStatsJob
	verbStatsTube
	verbStats
	verbUse
	verbWatch
	verbIgnore
	verbListTubesWatched
	verbListTubeUsed
	verbListTubes
	verbQuit
	verbPauseTube
	verbAuth // only where clients may log in
	verbCount
)

// tokens are what lines are compared with, in this order. The order, and the space
// that belongs to some of them, decide how odd lines are answered: "reserve-job"
// without its space is the command reserve with something behind it, but "peek"
// without its space is unknown.
var tokens = [...]struct {
	text string
	verb verb
}{
	{"put ", verbPut},
	{"peek ", verbPeek},
	{"peek-ready", verbPeekReady},
	{"peek-delayed", verbPeekDelayed},
	{"peek-buried", verbPeekBuried},
	{"reserve-with-timeout ", verbReserveTimeout},
	{"reserve-job ", verbReserveJob},
	{"reserve", verbReserve},
	{"delete ", verbDelete},
	{"release ", verbRelease},
	{"bury ", verbBury},
	{"kick ", verbKick},
	{"kick-job ", verbKickJob},
	{"touch ", verbTouch},
	{"stats-job ", verbStatsJob},
	{"stats-tube ", verbStatsTube},
	{"stats", verbStats},
	{"use ", verbUse},
	{"watch ", verbWatch},
	{"ignore ", verbIgnore},
	{"list-tubes-watched", verbListTubesWatched},
	{"list-tube-used", verbListTubeUsed},
	{"list-tubes", verbListTubes},
	{"quit", verbQuit},
	{"pause-tube", verbPauseTube},
	{"auth ", verbAuth},
}

// tokensBy holds, for each first letter, where to begin looking.
var tokensBy = func() (by [256][]uint8) {
	for i, t := range tokens {
		by[t.text[0]] = append(by[t.text[0]], uint8(i))
	}
	return by
}()

// match finds the verb of a line and what follows its token.
func match(line []byte) (verb, []byte) {
	if len(line) == 0 {
		return verbNone, nil
	}
	for _, i := range tokensBy[line[0]] {
		t := &tokens[i]
		if len(line) >= len(t.text) && string(line[:len(t.text)]) == t.text {
			return t.verb, line[len(t.text):]
		}
	}
	return verbNone, nil
}
