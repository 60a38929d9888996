package command

import (
	"bufio"
	"errors"
	"fmt"
	"iter"
	"slices"

	"beanfield/conn/beanstalk/client"
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
	return c.withServer(func(s *client.Client) error {
		if _, err := a.count(s, c.words); err != nil { // are the tubes there?
			return err
		}
		found, err := a.find(c, s)
		if err != nil {
			return err
		}
		out, written := bufio.NewWriter(c.Stdout), 0
		damaged, err := apartFromDamage(fetch(s, found, func(j *job) error { written++; return encode(out, j) }))
		if err = errors.Join(err, out.Flush()); err != nil {
			return fmt.Errorf("%w\n%d of %d jobs were exported", err, written, len(found))
		}
		gone := len(found) - written - len(damaged)
		if written == 0 && len(damaged) == 0 {
			if err := stillThere(s, found); err != nil {
				return err
			}
		}
		if gone > 0 {
			fmt.Fprintf(c.Stderr, "%d jobs were deleted before they could be exported\n", gone)
		}
		if len(damaged) > 0 {
			return fmt.Errorf("%w\n%d of %d jobs were exported", damaged, written, len(found))
		}
		return nil
	})
}

// count is how many jobs there are in the wanted tubes.
func (a *export) count(s *client.Client, tubes []string) (total int64, err error) {
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
		for _, state := range []string{ready, reserved, delayed, buried} {
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
func (a *export) find(c *call, s *client.Client) (found []uint64, err error) {
	below := a.Below
	if below == 0 {
		if below, err = newestID(s); err != nil {
			return nil, fmt.Errorf("%w; export needs no such put if -below ID names an id above those of all jobs", err)
		}
	}
	total, err := a.count(s, c.words)
	if err != nil {
		if isGone(err) {
			err = nil // deleted meanwhile
		}
		return nil, err
	}
	show := c.progress("look at ids", int(below))
	defer show.done()
	last := below
	for int64(len(found)) < total && last > max(a.From, 1) {
		first := max(a.From, 1)
		if last-first > window {
			first = last - window
		}
		err := survey(s, down(last, first), func(j *job) error {
			if a.All || slices.Contains(c.words, j.Tube) {
				found = append(found, j.ID)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		last = first
		show.set(int(below - last))
	}
	slices.Sort(found)
	return found, nil
}

// down counts from below an id down to another.
func down(below, first uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for id := below - 1; id >= first; id-- {
			if !yield(id) {
				return
			}
		}
	}
}
