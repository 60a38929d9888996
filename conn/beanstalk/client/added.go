package client

import (
	"fmt"
	"strings"
)

// What follows is for servers that have the commands which beanstalkd does not have. Other servers
// answer UNKNOWN_COMMAND, which is an error here (Refused): nothing is tried in another way, because
// each other way would do something else too. Ask for Capabilities first.

// Capabilities are the names of such commands that the server has; none if it is a beanstalkd.
func (c *Client) Capabilities() ([]string, error) {
	r, err := c.Ask("capabilities")
	if err != nil || r.Word == "UNKNOWN_COMMAND" {
		return nil, err
	}
	return r.List(), r.Want("OK")
}

// Added is the set of the Capabilities. It asks once.
func (c *Client) Added() (map[string]bool, error) {
	if c.added == nil {
		list, err := c.Capabilities()
		if err != nil {
			return nil, err
		}
		c.added = map[string]bool{}
		for _, name := range list {
			c.added[name] = true
		}
	}
	return c.added, nil
}

// Can says whether the server has one of these commands.
func (c *Client) Can(command string) (bool, error) {
	added, err := c.Added()
	return added[command], err
}

// List is the YAML list in a reply.
func (r Reply) List() (list []string) {
	for line := range strings.Lines(string(r.Body)) {
		if item, ok := strings.CutPrefix(line, "- "); ok {
			list = append(list, strings.TrimSuffix(item, "\n"))
		}
	}
	return list
}

// Schedules are those of the server which the client may see, and how they are getting on.
func (c *Client) Schedules() (list []Document, _ error) {
	r, err := c.Get("OK", "schedules")
	if err != nil {
		return nil, err
	}
	_, body, _ := strings.Cut(string(r.Body), "\n")
	for item := range strings.SplitSeq(body, "\n- ") {
		item = strings.TrimPrefix(item, "- ")
		d, err := ParseDocument([]byte(strings.ReplaceAll(item, "\n  ", "\n")))
		if err != nil {
			return nil, err
		}
		if len(d) > 0 {
			list = append(list, d)
		}
	}
	return list, nil
}

// Truncate ends the jobs of a tube that nobody has reserved, or those in some states, and returns how many there were.
func (c *Client) Truncate(tube string, states ...string) (n uint64, _ error) {
	line := "truncate " + tube
	if len(states) > 0 {
		line += " " + Option("state", strings.Join(states, ","))
	}
	r, err := c.Get("TRUNCATED", "%s", line)
	return r.Number, err
}

// Alter sends a command that alters jobs in shares, such as move-jobs: for how many of those that were tried it was
// done, and for how many not, and the cursor for the next call; "" if that was all.
func (c *Client) Alter(want, command string) (did, not uint64, cursor string, _ error) {
	r, err := c.Get(want, "%s", command)
	if err != nil {
		return 0, 0, "", err
	}
	if n, _ := fmt.Sscan(strings.TrimPrefix(r.Line, want), &did, &not, &cursor); n < 2 {
		return 0, 0, "", fmt.Errorf("%w: %.60q", errStranger, r.Line)
	}
	return did, not, cursor, nil
}
