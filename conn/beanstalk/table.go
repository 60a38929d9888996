package beanstalk

import (
	"strings"

	"beanfield/conn/access"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/shard/queue"
)

// table returns the rows, in the order of stats.
func table() []command {
	rows := original()
	for _, c := range added() {
		c.added, c.uncounted = true, true
		rows = append(rows, c)
	}
	return rows
}

// original are those of beanstalkd.
func original() []command {
	const id, pri, delay, bound = protocol.ID, protocol.Pri, protocol.Delay, protocol.Bound
	const badFormat, notFound = protocol.BadFormat, protocol.NotFound
	type args = protocol.Args
	tube, none := args{protocol.Tube}, args{}
	return []command{
		{text: "put ", args: args{pri, delay, protocol.TTR, protocol.Size}, about: aboutUsed, needs: access.Put,
			refused: badFormat,
			begin:   (*Conn).beginPut, op: queue.Put, reply: protocol.Inserted, role: producer},
		{text: "peek ", args: args{id}, about: aboutJob, needs: access.Peek, refused: notFound, op: queue.Peek,
			reply: protocol.Found},
		{text: "peek-ready", args: none, about: aboutUsed, needs: access.Peek, refused: notFound, op: queue.PeekReady,
			reply: protocol.Found},
		{text: "peek-delayed", args: none, about: aboutUsed, needs: access.Peek, refused: notFound,
			op: queue.PeekDelayed, reply: protocol.Found},
		{text: "peek-buried", args: none, about: aboutUsed, needs: access.Peek, refused: notFound, op: queue.PeekBuried,
			reply: protocol.Found},
		{text: "reserve", args: none, needs: access.Reserve, run: (*Conn).reserve, op: queue.Reserve,
			reply: protocol.Reserved, role: worker},
		{text: "reserve-with-timeout ", args: args{protocol.Timeout}, needs: access.Reserve, run: (*Conn).reserve,
			op:    queue.Reserve,
			reply: protocol.Reserved, role: worker},
		{text: "delete ", args: args{id}, about: aboutJob, needs: access.Delete, refused: notFound, op: queue.Delete,
			done:  protocol.Deleted,
			audit: auditCounted},
		{text: "release ", args: args{id, pri, delay}, about: aboutJob, op: queue.Release, done: protocol.Released},
		{text: "use ", args: tube, about: aboutTube, needs: anyRight, refused: badFormat, run: alone((*Conn).use),
			answer: (*Conn).sayUsing},
		{text: "watch ", args: tube, about: aboutTube, needs: access.Reserve, refused: badFormat,
			run: alone((*Conn).watch), answer: (*Conn).sayWatching},
		{text: "ignore ", args: tube, run: alone((*Conn).ignore), answer: (*Conn).sayWatching},
		{text: "bury ", args: args{id, pri}, about: aboutJob, op: queue.Bury, done: protocol.Buried},
		{text: "kick ", args: args{bound}, about: aboutUsed, needs: access.Kick, refused: badFormat, op: queue.Kick,
			reply: protocol.HowManyKicked,
			audit: auditCounted},
		{text: "touch ", args: args{id}, about: aboutJob, op: queue.Touch, done: protocol.Touched},
		{text: "stats", args: none, about: aboutAll, needs: access.Stats, refused: badFormat, run: alone((*Conn).stats),
			answer: (*Conn).sayStats},
		{text: "stats-job ", args: args{id}, about: aboutJob, needs: access.Stats, refused: notFound,
			op: queue.StatsJob, reply: protocol.JobStats},
		{text: "stats-tube ", args: tube, about: aboutTube, needs: access.Stats, refused: notFound, op: queue.StatsTube,
			reply: protocol.TubeStats},
		{text: "list-tubes", args: none, run: alone((*Conn).listTubes)},
		{text: "list-tube-used", args: none, run: alone((*Conn).listUsed)},
		{text: "list-tubes-watched", args: none, run: alone((*Conn).listWatched)},
		{text: "pause-tube", args: args{protocol.Apart, protocol.Inner, delay}, about: aboutTube, needs: access.Pause,
			refused: notFound,
			op:      queue.Pause, done: protocol.Paused, audit: auditAlways},
		{text: "reserve-job ", args: args{id}, about: aboutJob, needs: access.Reserve, refused: notFound,
			op:    queue.ReserveJob,
			reply: protocol.Reserved, role: worker, uncounted: true},
		{text: "kick-job ", args: args{id}, about: aboutJob, needs: access.Kick, refused: notFound, op: queue.KickJob,
			done:  protocol.Kicked,
			audit: auditAlways, uncounted: true},
		{text: "quit", args: args{protocol.Apart, protocol.Any}, run: alone((*Conn).quit), uncounted: true},
	}
}

// added are those that beanstalkd does not have.
func added() []command {
	const pri, delay, ttr = protocol.Pri, protocol.ExactDelay, protocol.ExactTTR
	const badFormat, notFound = protocol.BadFormat, protocol.NotFound
	type args = protocol.Args
	return []command{
		{text: "auth ", args: args{protocol.Token}, refused: notFound, login: true, run: alone((*Conn).auth)},
		{text: "capabilities", args: args{}, run: alone((*Conn).capabilities)},
		{text: "put-in-tube ", args: args{protocol.Inner, pri, delay, ttr, protocol.Size}, about: aboutTube,
			needs:   access.Put,
			refused: badFormat, begin: (*Conn).beginPut, op: queue.Put, reply: protocol.Inserted, role: producer},
		{text: "put-with ", args: args{protocol.Length, protocol.Pairs}, about: aboutTube, needs: access.Put,
			refused: badFormat, begin: (*Conn).beginPutWith, op: queue.Put, reply: protocol.Inserted, role: producer},
		{text: "reserve-batch ", args: args{protocol.Several, protocol.ExactTimeout}, needs: access.Reserve,
			run: (*Conn).reserve,
			op:  queue.ReserveSeveral, say: (*Conn).saySeveral, role: worker},
		{text: "reserve-with", args: args{protocol.Apart, protocol.Pairs}, needs: access.Reserve,
			run: (*Conn).reserveWith,
			op:  queue.ReserveSeveral, say: (*Conn).saySeveral, role: worker},
		{text: "call-off", args: args{}, run: alone((*Conn).callOff)},
		{text: "truncate ", args: args{protocol.Inner, protocol.Pairs}, about: aboutTube, needs: access.Delete,
			refused: notFound, run: (*Conn).truncate, op: queue.Truncate,
			reply: protocol.HowManyTruncated, audit: auditAlways},
		{text: "delete-batch ", args: args{protocol.Length, protocol.Pairs}, about: aboutHeld, needs: access.Delete,
			refused: notFound, begin: (*Conn).beginWhole,
			whole: idList(), op: queue.DeleteSeveral, answer: sayDid("DELETED_BATCH ")},
		{text: "put-batch ", args: args{protocol.Length, protocol.Pairs}, about: aboutAll, needs: access.Put,
			refused: badFormat, begin: (*Conn).beginWhole,
			whole: &whole{most: protocol.MostPuts, tooLong: protocol.JobTooBig, options: batchOptions,
				take: (*Conn).takePuts},
			answer: (*Conn).sayPuts},
		{text: "release-batch ", args: args{pri, delay, protocol.Length, protocol.Pairs}, about: aboutHeld,
			needs: anyRight, refused: notFound,
			begin: (*Conn).beginWhole, whole: idList(),
			op: queue.ReleaseSeveral, answer: sayDid("RELEASED_BATCH ")},
		{text: "bury-batch ", args: args{pri, protocol.Length, protocol.Pairs}, about: aboutHeld, needs: anyRight,
			refused: notFound,
			begin:   (*Conn).beginWhole, whole: idList(),
			op: queue.BurySeveral, answer: sayDid("BURIED_BATCH ")},
		{text: "touch-batch ", args: args{protocol.Length, protocol.Pairs}, about: aboutHeld, needs: anyRight,
			refused: notFound,
			begin:   (*Conn).beginWhole, whole: idList(touchTTR),
			op: queue.TouchSeveral, answer: sayDid("TOUCHED_BATCH ")},
		{text: "list-jobs", args: args{protocol.Apart, protocol.Pairs}, needs: access.Peek,
			run: alone((*Conn).listJobs), answer: (*Conn).sayJobs,
			op: queue.List},
		{text: "move-jobs ", args: args{protocol.Inner, protocol.Onto, protocol.Pairs}, about: aboutTube,
			needs: access.Delete, refused: notFound,
			run: alone((*Conn).moveJobs), answer: sayAltered("MOVED ")},
		{text: "change-jobs ", args: args{protocol.Inner, protocol.Pairs}, about: aboutTube, needs: access.Kick,
			refused: notFound,
			run:     alone((*Conn).changeJobs), answer: sayAltered("CHANGED ")},
		{text: "schedules", args: args{}, about: aboutAll, needs: access.Stats, refused: badFormat,
			run: alone((*Conn).schedules)},
		{text: "policies", args: args{}, about: aboutServer, needs: access.Stats, refused: badFormat,
			run: alone((*Conn).policies)},
		{text: "policy ", args: args{protocol.Tube}, about: aboutTube, needs: access.Stats, refused: notFound, run: alone((*Conn).policy)},
		{text: "set-policies ", args: args{protocol.Length, protocol.Pairs}, about: aboutServer, needs: access.Admin, refused: badFormat,
			begin: (*Conn).beginWhole, whole: policyText(), answer: (*Conn).sayPoliciesSet},
	}
}

func init() {
	ends = [callClose + 1]func(*Conn){
		callRun: (*Conn).answerRun, callSession: (*Conn).answerSession, callReserve: (*Conn).answerReserve,
		callEndWait: (*Conn).answerReserve,
		callRefresh: (*Conn).decideWait, callReview: (*Conn).reviewed, callSuspend: (*Conn).suspended,
		callReviewWait: (*Conn).resume,
		callLogin:      (*Conn).loggedIn, callSift: (*Conn).siftOn, callHolders: (*Conn).sayListed,
	}
	for i, c := range table() {
		v := protocol.Verb(i + 1)
		c.name = strings.TrimSpace(c.text)
		if c.run == nil {
			c.run = (*Conn).runInShard
		}
		if c.about == aboutJob || c.op == queue.List {
			judged[c.op] = c.needs
		}
		commands[v] = c
		verbs = append(verbs, v)
		grammar.Add(v, c.text, c.args, c.added)
	}
	verbPut, verbReserve, verbSeveral, verbUse, verbAuth = verbOf("put"), verbOf("reserve"), verbOf("reserve-batch"),
		verbOf("use"), verbOf("auth")
}

// verbOf is the verb of a command, or 0.
func verbOf(name string) protocol.Verb {
	for _, v := range verbs {
		if commands[v].name == name {
			return v
		}
	}
	return 0
}
