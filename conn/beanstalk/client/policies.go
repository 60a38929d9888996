package client

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Policies are those of a server's tubes, as the command policies shows them.
type Policies struct {
	Version  string // of those that were set at run time
	Kept     bool   // these outlive the server's process
	Text     string // of these
	Problems []string
	List     []Document // those that are asked first come first; each begins with match, from and line
}

// Policies asks for all policies.
func (c *Client) Policies() (p Policies, err error) {
	r, err := c.Get("OK", "policies")
	if err != nil {
		return p, err
	}
	in := ""
	for line := range strings.Lines(string(r.Body)) {
		line = strings.TrimSuffix(line, "\n")
		item, isItem := strings.CutPrefix(line, "- ")
		switch inside := strings.HasPrefix(line, "  "); {
		case isItem && in == "problems":
			text, err := strconv.Unquote(item)
			if err != nil {
				return p, fmt.Errorf("%w: %.60q in policies", errStranger, line)
			}
			p.Problems = append(p.Problems, text)
		case isItem:
			p.List = append(p.List, nil)
			line = item
			fallthrough
		case inside && len(p.List) > 0:
			d, err := ParseDocument([]byte(strings.TrimPrefix(line, "  ")))
			if err != nil {
				return p, err
			}
			last := len(p.List) - 1
			p.List[last] = append(p.List[last], d...)
		default:
			key, _, _ := strings.Cut(line, ":")
			if in = key; key != "---" {
				p.head(line)
			}
		}
	}
	return p, nil
}

// head takes a line that is no policy's.
func (p *Policies) head(line string) {
	d, err := ParseDocument([]byte(line))
	if err != nil {
		return
	}
	for _, f := range d {
		switch f.Key {
		case "version":
			p.Version = f.Value
		case "kept":
			p.Kept = f.Value == "true"
		case "text":
			p.Text = f.Value
		}
	}
}

// Policy asks which policy holds for a tube.
func (c *Client) Policy(tube string) (Document, error) { return c.Stats("policy " + tube) }

// ErrPolicies is why a server refuses policies.
type ErrPolicies struct{ Reason string }

func (e ErrPolicies) Error() string { return e.Reason }

// SetPolicies replaces those that were set at run time, if they are still those of a version; "" for
// any. The answer has version, kept and changes.
func (c *Client) SetPolicies(text, version string) (Document, error) {
	command := fmt.Sprintf("set-policies %d", len(text))
	if version != "" {
		command += " version=" + version
	}
	r, err := c.Put(command, []byte(text))
	if err == nil && r.Word == "REFUSED" {
		err = ErrPolicies{string(r.Body)}
	}
	if err == nil && r.Word == "JOB_TOO_BIG" {
		err = errors.New("the text is too long")
	}
	if err == nil {
		err = r.Want("OK")
	}
	if err != nil {
		return nil, err
	}
	return ParseDocument(r.Body)
}
