package command

import "slices"

// walk lists the jobs of the tube that are in the state, by looking at all ids. It is for a
// tube in which a peek meets a damaged job: the reply does not say which one, and the jobs
// behind it cannot be seen. They are then taken in the order of their ids.
func (t *taker) walk() error {
	below, err := newestID(t.s)
	if err != nil {
		return err
	}
	if err := use(t.s, t.tube); err != nil {
		return err
	}
	d, err := t.s.Stats("stats-tube " + t.tube)
	if err != nil {
		return err
	}
	left := d.Number("current-jobs-" + t.state)
	for last := below; left > 0 && last > 1; {
		first := uint64(1)
		if last > window {
			first = last - window
		}
		err := survey(t.s, down(last, first), func(j *job) error {
			if j.Tube == t.tube && j.State == t.state {
				t.list = append(t.list, j.ID)
				left--
			}
			return nil
		})
		if err != nil {
			return err
		}
		last = first
	}
	slices.Sort(t.list)
	t.nextOfList()
	return nil
}

// nextOfList takes the next job from the list, if there is one.
func (t *taker) nextOfList() {
	if len(t.list) > 0 {
		t.next, t.list = t.list[0], t.list[1:]
	}
}
