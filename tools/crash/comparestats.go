package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"beanfield/conn/beanstalk/client"
)

// old says whether a tube has jobs that were buried before the last restart.
func (c *comparison) old(tube string) bool {
	return slices.ContainsFunc(c.jobs, func(j *shared) bool {
		return j.alive && j.tube == tube && j.logged == buried && j.since < c.life
	})
}

func (c *comparison) peekBuried() error {
	if c.old(c.used) {
		return nil
	}
	return c.same("peek-buried")
}

// kickAll kicks every job of the tube. stats-job then says which jobs that was, and both
// servers must agree.
func (c *comparison) kickAll() error {
	before := map[*shared]int64{}
	for _, j := range c.jobs {
		if !j.alive || j.tube != c.used {
			continue
		}
		r, err := c.both(j, "stats-job ID")
		if err != nil {
			return err
		}
		before[j] = r[1].Document().Number("kicks")
	}
	if err := c.same("kick 1000000"); err != nil {
		return err
	}
	for j, kicks := range before {
		r, err := c.both(j, "stats-job ID")
		if err != nil {
			return err
		}
		if r[1].Document().Number("kicks") > kicks {
			c.log(j, ready)
		}
	}
	return nil
}

func (c *comparison) statsJob(j *shared) error {
	r, err := c.both(j, "stats-job ID")
	if err != nil || r[0].Word != "OK" {
		return err
	}
	return c.compareYAML(j, r)
}

// compareAll compares everything that both servers show.
func (c *comparison) compareAll() error {
	for _, j := range c.jobs {
		if !j.alive {
			continue
		}
		if err := c.statsJob(j); err != nil {
			return err
		}
		if _, err := c.both(j, "peek ID"); err != nil {
			return err
		}
	}
	for _, t := range tubes {
		c.used = t
		for _, command := range []string{"use " + t, "peek-ready", "peek-delayed"} {
			if err := c.same("%s", command); err != nil {
				return err
			}
		}
		if err := c.peekBuried(); err != nil {
			return err
		}
		r, err := c.both(nil, "stats-tube %s", t)
		if err != nil {
			return err
		}
		if err := c.compareYAML(nil, r); err != nil {
			return err
		}
	}
	r, err := c.both(nil, "list-tubes")
	if err != nil {
		return err
	}
	lists := [2][]string{strings.Split(string(r[0].Body), "\n"), strings.Split(string(r[1].Body), "\n")}
	for i := range lists {
		slices.Sort(lists[i])
	}
	if !slices.Equal(lists[0], lists[1]) {
		return fmt.Errorf("list-tubes: beanstalkd %q, beanfield %q", lists[0], lists[1])
	}
	return nil
}

// tolerance is by how many seconds truncated durations may differ.
const tolerance = 3

// compareYAML compares the keys of stats-job or stats-tube.
func (c *comparison) compareYAML(j *shared, r [2]client.Reply) error {
	want, got := strings.Split(string(r[0].Body), "\n"), strings.Split(string(r[1].Body), "\n")
	if len(want) != len(got) {
		return fmt.Errorf("beanstalkd says %q, beanfield %q", r[0].Body, r[1].Body)
	}
	for i := range want {
		key, w, _ := strings.Cut(want[i], ": ")
		other, g, _ := strings.Cut(got[i], ": ")
		w, g = strings.Trim(w, `"`), strings.Trim(g, `"`)
		if key == "file" || key == "id" && j != nil {
			continue
		}
		a, _ := strconv.Atoi(w)
		b, _ := strconv.Atoi(g)
		switch {
		case key == "buries" && j != nil:
			if a-b >= j.least && a-b <= j.most {
				j.least, j.most = a-b, a-b
				continue
			}
		case key == "reserves":
			if j.learnt < c.life {
				j.ahead, j.learnt = a-b, c.life
			}
			if a-b == j.ahead && j.ahead >= 0 {
				continue
			}
		case key == "age" || key == "time-left":
			if max(a, b)-min(a, b) <= tolerance {
				continue
			}
		case w == g && key == other:
			continue
		}
		return fmt.Errorf("beanstalkd says %q, beanfield %q\n%s\n%s", want[i], got[i], r[0].Body, r[1].Body)
	}
	return nil
}
