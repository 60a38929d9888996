//go:build linux

package load

import (
	"bytes"
	"fmt"

	"beanfield/conn/beanstalk/client"
)

// FillBacklog puts the jobs that stay in the server while it is measured.
func FillBacklog(addr string, ld *Load) error {
	if ld.Backlog == 0 {
		return nil
	}
	c, err := client.Dial(client.Options{Server: addr, Timeout: patience})
	if err != nil {
		return err
	}
	defer c.HangUp()
	payload := NewPayload(ld)
	put := payload.put(backlogPriority, payload.Body[:ld.Body[0]])
	line, body, _ := bytes.Cut(put, []byte("\r\n"))
	body = body[:len(body)-len("\r\n")]
	p := c.Pipe(func(r client.Reply) error { return r.Want("USING", "INSERTED") })
	for i := range ld.Backlog {
		if tube := backlogTubeOf(ld, i); tube != "" {
			err = p.Send("use " + tube)
		}
		if ld.Keyed {
			payload.number(put)
		}
		if err == nil {
			err = p.Put(string(line), body)
		}
		if err != nil {
			return fmt.Errorf("backlog: job %d: %w", i, err)
		}
	}
	if err := p.Flush(); err != nil {
		return fmt.Errorf("backlog: %w", err)
	}
	return nil
}

// backlogTubeOf is the tube that job i of the backlog goes to, if it is another one than before.
func backlogTubeOf(ld *Load, i int) string {
	run := (ld.Backlog + ld.Tubes - 1) / ld.Tubes // in equal runs, so that each tube under load gets its share
	switch {
	case ld.BacklogIn == InSpread:
		return tube(spreadPrefix, i)
	case ld.BacklogIn == InSame && i%run == 0:
		return tube(loadPrefix, i/run)
	case ld.BacklogIn == "" && i == 0:
		return backlogTube
	}
	return ""
}
