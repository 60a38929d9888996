package queue

import (
	"fmt"
	"strings"
)

// kindOf are the words of scripts for operations that take an id or nothing.
var kindOf = map[string]Kind{
	"put": Put, "reserve": Reserve, "poll": Reserve, "reserve-job": ReserveJob, "delete": Delete,
	"release": Release, "bury": Bury, "touch": Touch, "peek": Peek, "peek-ready": PeekReady,
	"peek-delayed": PeekDelayed, "peek-buried": PeekBuried, "kick": Kick, "kick-job": KickJob,
	"stats-job": StatsJob, "stats-tube": StatsTube, "pause": Pause, "truncate": Truncate, "use": Use,
	"watch": Watch, "ignore": Ignore, "wait": Wait,
	"delete-several": DeleteSeveral, "release-several": ReleaseSeveral, "bury-several": BurySeveral,
	"touch-several": TouchSeveral,
	"move":          AlterSeveral, "change": AlterSeveral,
	"withdraw": Withdraw, "detach": Detach, "totals": Totals,
}

// putWords are those of puts that say more.
var putWords = map[string]func(*user, []string) string{"put-with": (*user).putWith, "put-all": (*user).putTogether}

// do runs one word of a script and says the answer.
func (u *user) do(verb string, args []string) string {
	u.w.t.Helper()
	if put := putWords[verb]; put != nil {
		return put(u, args)
	}
	kind, known := kindOf[verb]
	if !known {
		panic("no such word: " + verb)
	}
	op := Op{Kind: kind, Poll: verb == "poll"}
	num := func(i int) uint64 { return number(args[i]) }
	switch kind {
	case Put:
		if !u.w.dir.Closed {
			u.w.lastID++
		}
		op.Pri, op.Delay, op.TTR = uint32(num(0)), uint32(num(1)), uint32(num(2))
		body := fmt.Sprintf("body of %d", u.w.lastID)
		if len(args) > 3 {
			body = strings.Repeat("x", int(num(3)))
		}
		u.w.bodies[u.w.lastID] = body
		delete(u.w.tags, u.w.lastID)
		op.Data, op.Size = []byte(body), uint32(len(body))
	case ReserveJob, Delete, Touch, Peek, KickJob, StatsJob:
		op.ID = num(0)
	case Release:
		op.ID, op.Pri, op.Delay = num(0), uint32(num(1)), uint32(num(2))
	case Bury:
		op.ID, op.Pri = num(0), uint32(num(1))
	case AlterSeveral:
		args = u.altering(verb, args)
		for i := range args {
			op.Data = AppendID(op.Data, num(i))
		}
	case DeleteSeveral, ReleaseSeveral, BurySeveral, TouchSeveral:
		args = op.several(args)
		for i := range args {
			op.Data = AppendID(op.Data, num(i))
		}
	case Kick:
		op.Limit = uint32(num(0))
	case Pause:
		op.Data, op.Delay = []byte(args[0]), uint32(num(1))
	case Use, Watch, Ignore, StatsTube, Truncate:
		op.Data, op.Limit = []byte(args[0]), statesIn(args[1:])
	case Wait:
		op.Ticket = u.Arm()
	case Withdraw:
		op.Ticket = u.ticket
		if len(args) > 0 {
			op.Ticket = num(0)
		}
	}
	done, b := u.apply(op)
	if kind == Put && !u.w.dir.Closed {
		u.w.lastID = u.w.dir.Last // a put that a full tube refuses at once takes no id
	}
	return u.answer(&done, b)
}

var answerOf = map[Status]string{
	NotFound: "no", TimedOut: "timeout", DeadlineSoon: "soon", Waiting: "waiting",
	Empty: "empty", NoRoom: "noroom", Refused: "refused", Failed: "failed", TooLong: "toolong", Ended: "ended",
}

func (u *user) answer(op *Op, b *Batch) string {
	u.w.t.Helper()
	if op.Status != OK {
		return answerOf[op.Status]
	}
	switch op.Kind {
	case Put:
		return fmt.Sprint(op.ID)
	case Reserve, ReserveJob, Claim, Peek, PeekReady, PeekDelayed, PeekBuried:
		body := string(b.Bytes[op.From:op.To]) + string(joined(op.Parts))
		if body != u.w.bodies[op.ID] || int(op.Size) != len(body) {
			u.w.t.Fatalf("job %d answers with body %q, size %d, want %q", op.ID, body, op.Size, u.w.bodies[op.ID])
		}
		return fmt.Sprint(op.ID)
	case Kick, Truncate, DeleteSeveral, ReleaseSeveral, BurySeveral, TouchSeveral, AlterSeveral:
		return fmt.Sprint(op.Count)
	case StatsJob:
		i := b.Jobs[op.From]
		return fmt.Sprintf("id=%d tube=%s state=%v pri=%d age=%d delay=%d ttr=%d left=%d"+
			" reserves=%d timeouts=%d releases=%d buries=%d kicks=%d", i.ID, i.Tube, i.State, i.Pri, i.Age,
			i.Delay, i.TTR, i.TimeLeft, i.Reserves, i.Timeouts, i.Releases, i.Buries, i.Kicks)
	case StatsTube:
		i := b.Tubes[op.From]
		return fmt.Sprintf("name=%s urgent=%d ready=%d reserved=%d delayed=%d buried=%d total=%d using=%d"+
			" watching=%d waiting=%d deletes=%d pauses=%d pause=%d left=%d", i.Name, i.Urgent, i.Ready,
			i.Reserved, i.Delayed, i.Buried, i.Total, i.Using, i.Watching, i.Waiting, i.Deletes, i.Pauses,
			i.Pause, i.PauseLeft)
	case Totals:
		i := b.Sums
		return fmt.Sprintf("urgent=%d ready=%d reserved=%d delayed=%d buried=%d timeouts=%d total=%d",
			i.Urgent, i.Ready, i.Reserved, i.Delayed, i.Buried, i.Timeouts, i.Total)
	}
	return "ok"
}
