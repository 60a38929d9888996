package command

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// wantJobs checks the jobs of a tube, in the order of their ids.
func (s *daemon) wantJobs(tube string, want ...string) {
	s.t.Helper()
	var got []string
	for line := range strings.Lines(s.run("export", tube).stdout) {
		var j job
		must.Do(s.t, json.Unmarshal([]byte(line), &j))
		got = append(got, j.State+" "+string(j.body()))
	}
	if !slices.Equal(got, want) {
		s.t.Errorf("tube %s has %v, want %v", tube, got, want)
	}
}

// asMoved are jobs in the order in which they are exported when they have been moved: by their ids, which are those of
// copies if the server cannot move jobs.
func (s *daemon) asMoved(parts ...[]string) []string {
	all := slices.Concat(parts...)
	if strings.Contains(s.t.Name(), "/beanfield") {
		number := func(job string) int { return must.Get(strconv.Atoi(strings.Fields(job)[1])) }
		slices.SortFunc(all, func(a, b string) int { return number(a) - number(b) })
	}
	return all
}

// scattered fills the tube "from" with numbered jobs, ready and buried by turns of 3 and 2, beside
// buried ones of the tube "beside".
func scattered(s *daemon, n int) (isReady, isBuried []string) {
	bury := []string{"bury"}
	for id := 1; id <= n; id++ {
		tube := "from"
		if id%7 == 0 {
			tube = "beside"
		}
		s.run("put", "-tube", tube, "-ttr", "100", strconv.Itoa(id))
		if tube == "from" && id%5 < 3 {
			isReady = append(isReady, fmt.Sprintf("ready %d", id))
			continue
		}
		bury = append(bury, strconv.Itoa(id))
		if tube == "from" {
			isBuried = append(isBuried, fmt.Sprintf("buried %d", id))
		}
	}
	s.run(bury...)
	return isReady, isBuried
}

// Many jobs are moved in their order, and purged, also when their tube is paused: those of
// other tubes and states stay.
func TestManyAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		isReady, isBuried := scattered(s, 300)
		s.talk(fmt.Sprintf("$ pause from 1000\n$ move from to -state buried\nmoved %d", len(isBuried)))
		s.wantJobs("to", isBuried...)
		s.talk("$ move from to -n 15\nmoved 15\n$ pause from 0\n$ move from to -n 20\nmoved 20")
		s.wantJobs("to", s.asMoved(isBuried, isReady[:35])...)
		s.wantJobs("from", isReady[35:]...)
		s.talk(`
$ purge to -state buried -n 2
purged 2
$ pause to 1000
$ purge to -state ready -n 3
purged 3`)
		s.wantJobs("to", s.asMoved(isBuried[2:], isReady[3:35])...)
		s.talk(fmt.Sprintf(`
$ purge to -state buried
purged %d
$ purge to
purged 32
$ purge from
purged %d`, len(isBuried)-2, len(isReady)-35))
		s.talk("$ counts beside buried ready\n42 0")
	})
}

// A purge that looks ahead leaves jobs of other states and tubes.
func TestPurgeOfScattered(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		isReady, isBuried := scattered(s, 100)
		s.talk(fmt.Sprintf("$ purge from -state buried\npurged %d", len(isBuried)))
		s.wantJobs("from", isReady...)
		s.talk("$ counts beside buried\n14")
	})
}

// A purge beside workers counts what it has deleted itself.
func TestPurgeBesideWorkers(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		s.puts("a", 3000)
		worker := make(chan outcome, 1)
		go func() { worker <- s.run("reserve", "-tube", "a", "-n", "500", "-then", "delete") }()
		o := s.run("purge", "a")
		purged, _ := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(o.stdout, "purged ")))
		worked := strings.Count((<-worker).stdout, "x\n")
		if left := s.count("a", "current-jobs-ready"); o.code != 0 || purged+worked+left != 3000 || left > worked {
			t.Errorf("%d purged, %d worked on, %d left; %+v", purged, worked, left, o)
		}
	})
}
