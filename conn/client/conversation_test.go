package client_test

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/conn/client"
	"beanfield/storage/must"
)

// talk makes calls, one a line, and checks what they give: "Put Tube:mail,Priority:7 = 1". What fails names its error,
// and of a document some keys are given. "job." calls a method of the job that was reserved last; "< use mail" is what
// the script has heard since it was asked last. In texts, \s is a space.
func talk(t *testing.T, c *client.Conn, s *script, text string) {
	t.Helper()
	var job *client.Job
	for line := range strings.SplitSeq(text, "\n") {
		call, want, asks := strings.Cut(strings.TrimSpace(line), " = ")
		words := strings.Fields(call)
		if len(words) == 0 {
			continue
		}
		if heard, ok := strings.CutPrefix(call, "< "); ok {
			s.hears(t, heard)
			continue
		}
		on := reflect.ValueOf(c)
		name, ofJob := strings.CutPrefix(words[0], "job.")
		if ofJob {
			on = reflect.ValueOf(job)
		}
		method := on.MethodByName(name)
		takes := method.Type()
		args := []reflect.Value{reflect.ValueOf(t.Context())}
		for i, word := range words[1:] {
			as := takes.In(min(i+1, takes.NumIn()-1))
			if takes.IsVariadic() && i >= takes.NumIn()-2 {
				as = as.Elem()
			}
			args = append(args, decode(as, word))
		}
		results := method.Call(args)
		end := len(results) - 1
		err, _ := results[end].Interface().(error)
		var got []string
		for _, r := range results[:end] {
			got = append(got, told(r.Interface()))
		}
		d, document := results[0].Interface().(client.Document)
		reserved, ok := results[0].Interface().(*client.Job)
		switch wrong, fail := sentinels[want]; {
		case fail && name != "Run":
			fails(t, line, err, wrong)
		case err != nil:
			t.Errorf("%s: %v", line, err)
		case document:
			shows(t, d, want)
		case asks && strings.Join(got, " ") != want:
			t.Errorf("%s: it is %q", line, got)
		case ok:
			job = reserved
		}
	}
}

// decode makes the argument of a call: a struct is written as Field:value,Field:value, a list with ";", of which 9*x is
// nine times x, and a map as a=b&c=d; "-" is none of it.
func decode(as reflect.Type, text string) reflect.Value {
	v := reflect.New(as).Elem()
	if as == reflect.TypeFor[*client.Pipeline]() {
		return reflect.ValueOf(piped(text))
	}
	each := func(separator string, add func(part string)) {
		for part := range strings.SplitSeq(text, separator) {
			if part != "-" {
				add(part)
			}
		}
	}
	switch as.Kind() {
	case reflect.Int64: // a time
		v.SetInt(int64(client.Forever))
		if text != "forever" {
			v.SetInt(int64(must.Get(time.ParseDuration(text))))
		}
	case reflect.Int:
		v.SetInt(int64(must.Get(strconv.Atoi(text))))
	case reflect.Uint32, reflect.Uint64:
		v.SetUint(must.Get(strconv.ParseUint(text, 10, 64)))
	case reflect.Pointer:
		v.Set(reflect.New(as.Elem()))
		v.Elem().Set(decode(as.Elem(), text))
	case reflect.Map:
		v.Set(reflect.MakeMap(as))
		each("&", func(part string) {
			key, value, _ := strings.Cut(part, "=")
			v.SetMapIndex(reflect.ValueOf(key), reflect.ValueOf(value))
		})
	case reflect.Struct:
		each(",", func(part string) {
			name, value, _ := strings.Cut(part, ":")
			field := v.FieldByName(name)
			field.Set(decode(field.Type(), value))
		})
	case reflect.Slice:
		if as == reflect.TypeFor[[]byte]() {
			v.SetBytes([]byte(text))
			break
		}
		each(";", func(part string) {
			times, one, many := strings.Cut(part, "*")
			n := 1
			if many {
				n, part = must.Get(strconv.Atoi(times)), one
			}
			for range n {
				v.Set(reflect.Append(v, decode(as.Elem(), part)))
			}
		})
	default:
		v.SetString(strings.NewReplacer(`\s`, " ", `\r`, "\r", `\n`, "\n", `""`, "").Replace(text))
	}
	return v
}

// piped is a pipeline of commands, each with the id of its job. The job of a put has a body of so many MiB.
func piped(text string) *client.Pipeline {
	var p client.Pipeline
	for part := range strings.SplitSeq(text, ";") {
		verb, number, _ := strings.Cut(part, ":")
		n := must.Get(strconv.ParseUint(number, 10, 64))
		switch verb {
		case "Put":
			p.Put(client.NewJob{Tube: "b", Body: make([]byte, n<<20)})
		case "Release":
			p.Release(n, 1, 0)
		case "ReleaseInThePast":
			p.Release(n, 1, -time.Second)
		case "Bury":
			p.Bury(n, 5)
		case "Touch":
			p.Touch(n)
		case "Delete":
			p.Delete(n)
		case "KickJob":
			p.KickJob(n)
		}
	}
	if n := strings.Count(text, ";") + 1; p.Len() != n {
		panic(fmt.Sprintf("a pipeline of %d commands has %d", n, p.Len()))
	}
	return &p
}

// sentinels are the errors by their names.
var sentinels = map[string]error{"ErrNotFound": client.ErrNotFound, "ErrTimedOut": client.ErrTimedOut,
	"ErrTooBig": client.ErrTooBig, "ErrExists": client.ErrExists, "ErrTogether": client.ErrTogether,
	"ErrRefused": client.ErrRefused, "ErrUnsupported": client.ErrUnsupported, "ErrInvalid": client.ErrInvalid,
	"ErrTaken": client.ErrTaken, "ErrInternal": client.ErrInternal}

func told(x any) string {
	switch x := x.(type) {
	case *client.Job:
		if x != nil {
			return fmt.Sprintf("%d %s", x.ID, x.Body)
		}
	case client.Peeked:
		return fmt.Sprintf("%d %s", x.ID, x.Body)
	case []*client.Job:
		var ids []string
		for _, j := range x {
			ids = append(ids, fmt.Sprint(j.ID))
		}
		return strings.Join(ids, ",")
	case []client.Result:
		var all []string
		for _, r := range x {
			all = append(all, toldResult(r))
		}
		return strings.Join(all, " ")
	}
	return fmt.Sprint(x)
}

func toldResult(r client.Result) string {
	for name, err := range sentinels {
		if errors.Is(r.Err, err) {
			return name
		}
	}
	if r.Err != nil {
		return r.Err.Error()
	}
	return fmt.Sprint(r.ID)
}

// The life of a job, with each command, at either server.
func TestLifeOfAJob(t *testing.T) {
	both(t, func(t *testing.T, server string) {
		talk(t, dial(t, server), nil, `
			Put Tube:mail,Body:hello,Priority:7,TTR:90s = 1
			Peek mail ready = 1 hello
			Reserve 0 = ErrTimedOut
			Reserve 0 mail other = 1 hello
			job.Stats = pri=7 ttr=90
			job.Touch
			job.Release 8 3599.999s
			job.Touch = ErrTaken
			StatsJob 1 = state=delayed delay=3600 pri=8
			KickJob 1
			Reserve forever mail = 1 hello
			job.Bury 9
			Kick mail 10 = 1
			ReserveJob 1 = 1 hello
			job.Delete
			job.Delete = ErrTaken
			PeekJob 1 = ErrNotFound
			Pause default 1s
			StatsTube default = pause=1
			Stats = total-jobs=1
		`)
	})
}

// All jobs are put together, or none: so if a key is taken. 1001 are too many, and 50 tubes.
func TestPutTogether(t *testing.T) {
	c := dial(t, beanfield(t))
	apart := "-"
	for i := range 50 {
		apart += fmt.Sprint(";Tube:t", i)
	}
	talk(t, c, nil, `
		PutTogether Key:a,TTR:1500ms;Key:b;TTR:1500ms;Priority:1 = [1 2 3 4]
		PutTogether Key:c;Key:b = ErrExists
		PutTogether Key:c;Key:c = ErrRefused
		PutTogether `+apart+` = ErrTogether
		PutTogether 1001*- = ErrInvalid
		Stats = total-jobs=4
		ReserveBatch 2 0 = 1,2
		TouchBatchFor 1;2 90m = 2
	`)
	exists(t, "a key that is taken", last(c.PutTogether(t.Context(), []client.NewJob{{Key: "b"}})), 2)
}

// What a beanstalkd cannot do is refused, and nothing is sent.
func TestWhatBeanstalkdCannot(t *testing.T) {
	c := dial(t, beanstalkd(t))
	for call := range strings.SplitSeq("Put Key:k,PutTogether Priority:1,Truncate default,TouchBatchFor 1 1m,Policies,"+
		"Policy default,SetPolicies - -,Schedules,ReserveTagged - 1 0,MoveJobs Tube:none b \"\","+
		"ChangeJobs Tube:none Priority:0", ",") {
		talk(t, c, nil, call+" = ErrUnsupported")
	}
	for _, err := range c.Jobs(t.Context(), client.Filter{}) {
		fails(t, "Jobs", err, client.ErrUnsupported)
	}
	if c.Has("put-with") {
		t.Error("beanstalkd has put-with")
	}
	talk(t, c, nil, "Stats = total-jobs=0")
}

// Times that no job can have, names and filters that are none.
func TestInvalid(t *testing.T) {
	both(t, func(t *testing.T, server string) {
		c := dial(t, server)
		for call := range strings.SplitSeq(`Put Delay:-1ns|Put TTR:-1ns|Put TTR:4611686018427387904ns|Put Expire:-1ns|
			Put Tube:a\sb|Put Tube:a\r\ndelete\s1|TouchBatchFor - 0|TouchBatchFor - -1ns|
			TouchBatchFor - 4611686018427387904ns|MoveJobs Tube:none a\sb ""|MoveJobs - b ""|
			MoveJobs Tube:a,Bodies:1 b ""|MoveJobs Tube:a,OlderThan:-1ns b ""|MoveJobs Tube:none b reserved|
			ChangeJobs Tube:none -|ChangeJobs - Priority:0|ChangeJobs Tube:a,Bodies:1 Priority:0|
			ChangeJobs Tube:a,OlderThan:-1ns Priority:0|ChangeJobs Tube:none Delay:-1ns`, "|") {
			talk(t, c, nil, call+" = ErrInvalid")
		}
	})
	c := dial(t, beanfield(t))
	talk(t, c, nil, `
		SetPolicies delete\s1\r\n `+strings.Repeat("x", 250)+` = ErrInvalid
		MoveJobs Tube:none b "" = ErrNotFound
		ChangeJobs Tube:none Priority:0 = ErrNotFound
	`)
	for _, config := range []client.Config{{Servers: []string{"http://a"}}, {Timeout: -1},
		{Retry: client.Backoff{Min: -1}}} {
		fails(t, config, last(client.Dial(t.Context(), config)), client.ErrInvalid)
		fails(t, config, last(client.NewPool(config, 1)), client.ErrInvalid)
	}
	fails(t, "a pool of none", last(client.NewPool(client.Config{}, 0)), client.ErrInvalid)
}

// Policies and schedules of a server that has none.
func TestPoliciesAndSchedules(t *testing.T) {
	c := dial(t, beanfield(t))
	if p := must.Get(c.Policies(t.Context())); len(p.List) != 0 || p.Kept {
		t.Errorf("policies: %+v", p)
	}
	talk(t, c, nil, `
		Policy mail = from=none
		Schedules = []
		Tubes = [default]
	`)
	_, err := c.SetPolicies(t.Context(), "[[tube]]", "0")
	if refused := (client.PoliciesError{}); !errors.As(err, &refused) || refused.Reason == "" {
		t.Errorf("set: %v", err)
	}
}

// Jobs are moved and changed, more than one command takes, and only those that are meant.
func TestMovesAndChanges(t *testing.T) {
	c := dial(t, beanfield(t))
	for range 4 {
		must.Get(c.PutBatch(t.Context(), decode(reflect.TypeFor[[]client.NewJob](),
			"300*Tube:from,Body:body0;300*Tube:from,Body:body1").Interface().([]client.NewJob)))
	}
	talk(t, c, nil, `
		MoveJobs Tube:from,States:ready,BodyContains:dy1 to buried = 1200 0
		StatsTube to = current-jobs-buried=1200
		StatsTube from = current-jobs-ready=1200
		ChangeJobs Tube:from Priority:7,Delay:1h,TTR:90s = 1200 0
		StatsTube from = current-jobs-delayed=1200
		StatsJob 1 = pri=7 delay=3600 ttr=90
	`)
}

// A server that refuses a batch has put nothing of it, so each job is put by itself, and is refused by itself.
func TestPutBatchThatIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{has: "put-batch put-with", answers: map[string]string{"put-batch": "BAD_FORMAT", "put": "BAD_FORMAT",
			"put-with": "INSERTED 9", "put-with 0 tube=default pri=0 delay=0 ttr=60 key=b": "EXISTS 7"}}
		c := s.dial(t)
		defer c.Close()
		talk(t, c, s, "PutBatch Key:a;Key:b;Priority:0 = 9 ErrExists ErrRefused")
		if len(s.heard) != 5 || !strings.HasPrefix(s.heard[1], "put-batch ") || s.heard[4] != "put 0 0 60 0" {
			t.Errorf("heard %q", s.heard)
		}
	})
}

// GC3: if a tube is refused, nothing that belongs there is sent, and what was watched for it is not watched
// by the next call.
func TestTubeThatIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: map[string]string{"use secret": "BAD_FORMAT", "watch secret": "BAD_FORMAT", "use": "USING a",
			"watch": "WATCHING 1", "ignore": "WATCHING 1", "put": "INSERTED 1", "reserve-with-timeout": "TIMED_OUT"}}
		c := s.dial(t)
		defer c.Close()
		talk(t, c, s, `
			< capabilities
			Put Tube:secret = ErrRefused
			< use secret
			PutBatch Tube:a;Tube:secret;Tube:a;Tube:b = 1 ErrRefused 1 1
			< use a, put 0 0 60 0, use secret, put 0 0 60 0, use b, put 0 0 60 0
			Kick secret 1 = ErrRefused
			< use secret
			Reserve 0 secret = ErrRefused
			< watch secret
			Reserve 0 a = ErrTimedOut
			Reserve 0 a = ErrTimedOut
			< watch a, ignore default, reserve-with-timeout 0, reserve-with-timeout 0
		`)
	})
}
