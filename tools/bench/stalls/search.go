package stalls

import (
	"fmt"
	"strings"

	"beanfield/tools/bench/talk"
)

// fillAndDial is all that comes before a search.
func (d *disturbance) fillAndDial() error {
	if err := d.fill(); err != nil {
		return err
	}
	return d.dialOne()
}

// sought is in no body.
const sought = "+++no+job+has+this+++"

// search has the server look for a text in the bodies of the disturbed tube, page by page.
func (d *disturbance) search() error {
	for cursor := ""; ; {
		line := "list-jobs tube=" + disturbedTube + " body=" + sought
		if cursor != "" {
			line += " cursor=" + cursor
		}
		if err := d.one.Tell(line); err != nil {
			return err
		}
		r, err := d.one.Next()
		if err != nil {
			return err
		}
		if r.Word != "OK" || !strings.Contains(string(r.Body), "jobs: []") {
			return fmt.Errorf("%w: a search for what is not there", talk.Answered("list-jobs", r))
		}
		_, rest, more := strings.Cut(string(r.Body), "\ncursor: ")
		if !more {
			return nil
		}
		cursor = strings.Trim(strings.TrimSpace(rest), `"`)
	}
}
