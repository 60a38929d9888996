package command

import "testing"

// Every flag for a time takes plain seconds, and numbers with units.
func TestTimesOfAllFlags(t *testing.T) {
	times := 0
	for i := range table {
		c := &table[i]
		for _, f := range c.flags() {
			if f.value != "TIME" {
				continue
			}
			times++
			for text, good := range map[string]bool{"5": true, "60": true, "5s": true, "2m": true, "0.5": true,
				"1h30m": true,
				"":      false, "-1": false, "-5s": false, "5d": false, ".": false, "soon": false} {
				_, set := c.flagSet(new(call))
				if err := set.Set(f.name, text); (err == nil) != good {
					t.Errorf("%s -%s %q: %v", c.Name, f.name, text, err)
				}
			}
		}
	}
	if times < 8 {
		t.Errorf("found only %d flags for a time", times)
	}
}

// A job that is to be buried is delayed, so that no worker sees it before.
func TestHiddenUntilBuried(t *testing.T) {
	if line := putLine(&job{State: buried, TTR: 1}, 0); line != "put 0 3600 1 0" {
		t.Errorf("a job that is to be buried: %q", line)
	}
}
