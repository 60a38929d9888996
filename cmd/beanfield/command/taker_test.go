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

// bodies are those of a tube's jobs, in the order of their ids.
func bodies(t *testing.T, s *daemon, tube string) (list []string) {
	t.Helper()
	for line := range strings.Lines(s.run("export", tube).stdout) {
		var j job
		must.Do(t, json.Unmarshal([]byte(line), &j))
		list = append(list, j.State+" "+string(j.body()))
	}
	return list
}

// asMoved are jobs in the order in which they are exported when they have been moved: by their ids, which are those of
// copies if the server cannot move jobs.
func (s *daemon) asMoved(parts ...[]string) []string {
	all := slices.Concat(parts...)
	if s.moves() {
		number := func(job string) int { return must.Get(strconv.Atoi(strings.Fields(job)[1])) }
		slices.SortFunc(all, func(a, b string) int { return number(a) - number(b) })
	}
	return all
}

// scattered fills the tube "from" with numbered jobs, ready and buried by turns of 3 and 2, beside
// buried ones of the tube "beside".
func scattered(t *testing.T, s *daemon, n int) (readyJobs, buriedJobs []string) {
	t.Helper()
	bury := []string{"bury"}
	for id := 1; id <= n; id++ {
		tube := "from"
		if id%7 == 0 {
			tube = "beside"
		}
		s.run("put", "-tube", tube, "-ttr", "100", strconv.Itoa(id))
		switch {
		case tube == "beside":
			bury = append(bury, strconv.Itoa(id))
		case id%5 < 3:
			readyJobs = append(readyJobs, fmt.Sprintf("ready %d", id))
		default:
			bury = append(bury, strconv.Itoa(id))
			buriedJobs = append(buriedJobs, fmt.Sprintf("buried %d", id))
		}
	}
	s.run(bury...).want(t, 0, "", "")
	return readyJobs, buriedJobs
}

// Many jobs are moved in their order, and purged, also when their tube is paused: those of
// other tubes and states stay.
func TestManyAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		isReady, isBuried := scattered(t, s, 300)
		s.run("pause", "from", "1000").want(t, 0, "", "")
		s.run("move", "from", "to", "-state", "buried").want(t, 0, fmt.Sprintf("moved %d\n", len(isBuried)), "")
		if got := bodies(t, s, "to"); !slices.Equal(got, isBuried) {
			t.Errorf("moved %v, want %v", got, isBuried)
		}
		s.run("move", "from", "to", "-n", "15").want(t, 0, "moved 15\n", "")
		s.run("pause", "from", "0").want(t, 0, "", "")
		s.run("move", "from", "to", "-n", "20").want(t, 0, "moved 20\n", "")
		if got, want := bodies(t, s, "to"), s.asMoved(isBuried, isReady[:35]); !slices.Equal(got, want) {
			t.Errorf("moved %v, want %v", got, want)
		}
		if got := bodies(t, s, "from"); !slices.Equal(got, isReady[35:]) {
			t.Errorf("left %v, want %v", got, isReady[35:])
		}
		s.run("purge", "to", "-state", "buried", "-n", "2").want(t, 0, "purged 2\n", "")
		s.run("pause", "to", "1000").want(t, 0, "", "")
		s.run("purge", "to", "-state", "ready", "-n", "3").want(t, 0, "purged 3\n", "")
		if got, want := bodies(t, s, "to"), s.asMoved(isBuried[2:], isReady[3:35]); !slices.Equal(got, want) {
			t.Errorf("left %v, want %v", got, want)
		}
		s.run("purge", "to", "-state", "buried").want(t, 0, fmt.Sprintf("purged %d\n", len(isBuried)-2), "")
		s.run("purge", "to").want(t, 0, "purged 32\n", "")
		s.run("purge", "from").want(t, 0, fmt.Sprintf("purged %d\n", len(isReady)-35), "")
		if got := bodies(t, s, "beside"); len(got) != 300/7 {
			t.Errorf("beside are %v", got)
		}
	})
}

// A purge that looks ahead leaves jobs of other states and tubes.
func TestPurgeOfScattered(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		isReady, isBuried := scattered(t, s, 100)
		s.run("purge", "from", "-state", "buried").want(t, 0, fmt.Sprintf("purged %d\n", len(isBuried)), "")
		if got := bodies(t, s, "from"); !slices.Equal(got, isReady) {
			t.Errorf("left %v, want %v", got, isReady)
		}
		if got := bodies(t, s, "beside"); len(got) != 100/7 {
			t.Errorf("beside are %v", got)
		}
	})
}

// A purge beside workers counts what it has deleted itself.
func TestPurgeBesideWorkers(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		s.typed(strings.Repeat("x\n", 3000), "put", "-lines", "-tube", "a", "-quiet").want(t, 0, "", "")
		worker := make(chan outcome, 1)
		go func() { worker <- s.run("reserve", "-tube", "a", "-n", "500", "-then", "delete") }()
		o := s.run("purge", "a")
		purged, _ := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(o.stdout, "purged ")))
		worked := strings.Count((<-worker).stdout, "x\n")
		if left, _ := strconv.Atoi("0" + s.count("a", "current-jobs-ready")); o.code != 0 ||
			purged+worked+left != 3000 || left > worked {
			t.Errorf("%d purged, %d worked on, %d left; %+v", purged, worked, left, o)
		}
	})
}
