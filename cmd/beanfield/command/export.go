package command

import (
	"bufio"
	"errors"
	"fmt"
	"slices"
)

// export is the command of that name.
type export struct {
	All   bool   `flag:"all export all tubes"`
	Below uint64 `flag:"below look only at ids below this <id>, and put no job to learn the highest"`
	From  uint64 `flag:"from look only at ids from this <id> on"`
}

func (a *export) run(c *call) error {
	if a.All == (len(c.words) > 0) {
		return usagef("name tubes, or use -all")
	}
	if err := checkTubes(c.words...); err != nil {
		return err
	}
	return c.withServer(func(s *server) error {
		if _, err := a.count(s, c.words); err != nil { // are the tubes there?
			return err
		}
		found, err := a.find(c, s)
		if err != nil {
			return err
		}
		out, written := bufio.NewWriter(c.Stdout), 0
		damaged, err := s.fetch(found, func(j *job) error { written++; return encode(out, j) })
		err = errors.Join(err, out.Flush())
		if err == nil && written == 0 && len(damaged) == 0 {
			if err := s.stillThere(found); err != nil {
				return err
			}
		}
		if gone := len(found) - written - len(damaged); err == nil && gone > 0 {
			fmt.Fprintf(c.Stderr, "%d jobs were deleted before they could be exported\n", gone)
		}
		if err == nil && len(damaged) > 0 {
			err = damaged
		}
		if err != nil {
			err = fmt.Errorf("%w\n%d of %d jobs were exported", err, written, len(found))
		}
		return err
	})
}

// count is how many jobs there are in the wanted tubes.
func (a *export) count(s *server, tubes []string) (total int64, err error) {
	questions := []string{"stats"}
	if !a.All {
		questions = questions[:0]
		for _, t := range tubes {
			questions = append(questions, "stats-tube "+t)
		}
	}
	for _, q := range questions {
		d, err := s.Stats(q)
		if err != nil {
			return 0, err
		}
		for _, state := range every {
			total += d.Number("current-jobs-" + state)
		}
	}
	return total, nil
}

// window is how many ids are looked at between two looks at the count.
const window = 10_000

// find lists the ids of the wanted jobs, ascending. It walks from the highest id down, and
// stops when it has found as many as there were when it began. It asks for the count after
// the highest id: jobs that are put in between are then counted but never found, so the
// walk goes on to the end, and never stops too early.
func (a *export) find(c *call, s *server) (found []uint64, err error) {
	last := a.Below
	if last == 0 {
		if last, err = s.newestID(); err != nil {
			return nil, fmt.Errorf("%w; export needs no such put if -below ID names an id above those of all jobs", err)
		}
	}
	total, err := a.count(s, c.words)
	if isGone(err) {
		return nil, nil // deleted meanwhile
	}
	show := c.progress("look at ids", int(last))
	defer show.done()
	begun, lowest := last, max(a.From, 1)
	for err == nil && int64(len(found)) < total && last > lowest {
		first := max(lowest, last-min(last, window))
		err = s.survey(idsFrom(first, last), func(j *job) error {
			if a.All || slices.Contains(c.words, j.Tube) {
				found = append(found, j.ID)
			}
			return nil
		})
		last = first
		show.set(int(begun - last))
	}
	slices.Sort(found)
	return found, err
}

// idsFrom are the ids from one to below another.
func idsFrom(first, below uint64) (ids []uint64) {
	for id := first; id < below; id++ {
		ids = append(ids, id)
	}
	return ids
}
