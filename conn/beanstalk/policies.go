package beanstalk

import (
	"fmt"
	"time"

	"beanfield/conn"
	"beanfield/conn/access"
	"beanfield/conn/audit"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/router/schedule"
)

// Administrators see the policies of tubes and change those that were set at run time. What a policy
// is, and where it is kept, others know (conn.Policies): here the answers are worded.

// policies runs the command of that name.
func (c *Conn) policies(*protocol.Command) {
	list := c.loop.server.opts.Load().Policies.Show()
	if c.guard != nil && c.guard.subject.Everywhere()&(access.Peek|access.Admin) == 0 {
		list = list.WithoutBodies()
	}
	c.loop.Effort -= len(list.Text)/64 + len(list.Policies)
	c.loop.Out = protocol.AppendYAML(c.loop.Out, func(out []byte) []byte {
		out = fmt.Appendf(appendVersion(out, list), "text: %+q\n", list.Text)
		if len(list.Problems) == 0 {
			out = append(out, "problems: []\n"...)
		} else {
			out = append(out, "problems:\n"...)
		}
		for _, p := range list.Problems {
			out = fmt.Appendf(out, "- %+q\n", p)
		}
		if len(list.Policies) == 0 {
			return append(out, "policies: []\n"...)
		}
		out = append(out, "policies:\n"...)
		for i := range list.Policies {
			out = appendPolicy(out, "- ", "  ", &list.Policies[i])
		}
		return out
	})
}

// policy runs the command of that name: it shows the policy that holds for a tube.
func (c *Conn) policy(cmd *protocol.Command) {
	tube, o := string(cmd.Name), c.loop.server.opts.Load()
	p, ok := o.Policies.For(tube)
	if c.guard != nil {
		p = p.For(c.guard.subject.Sees)
	}
	c.loop.Out = protocol.AppendYAML(c.loop.Out, func(out []byte) []byte {
		out = fmt.Appendf(out, "tube: %s\n", o.Quoting.Text(tube))
		if !ok {
			return append(out, "from: none\n"...)
		}
		return appendPolicy(out, "", "", &p)
	})
}

// appendVersion writes texts, as those below, in a way that Go and YAML share.
func appendVersion(out []byte, list *conn.PolicyList) []byte {
	return fmt.Appendf(out, "version: %+q\nkept: %t\n", list.Version, list.Kept)
}

// appendPolicy appends a policy, the first line behind one indent and the others behind another.
func appendPolicy(out []byte, first, indent string, p *conn.Policy) []byte {
	out = fmt.Appendf(out, "%[1]smatch: %+[3]q\n%[2]sfrom: %+[4]q\n%[2]sline: %[5]d\n",
		first, indent, p.Match, p.From, p.Line)
	if p.HiddenBy != "" {
		out = fmt.Appendf(out, "%shidden-by: %+q\n", indent, p.HiddenBy)
	}
	for _, s := range p.Settings {
		out = fmt.Appendf(out, "%s%s: %s\n", indent, s.Key, s.Value)
	}
	return out
}

// policyText is the body of set-policies.
func policyText() *body {
	return &body{most: conn.MaxPolicies, tooLong: protocol.JobTooBig, take: (*Conn).takePolicies,
		options: []protocol.Option[incoming]{
			{Name: "version", Set: func(p *incoming, _, value []byte) bool {
				p.policies = &policyChange{version: string(value)}
				return len(value) > 0
			}},
		}}
}

// takePolicies has another goroutine change the policies, because that takes as long as the disk does.
func (c *Conn) takePolicies(p *incoming, body []byte) {
	if p.policies == nil {
		p.policies = new(policyChange)
	}
	change, text, set := p.policies, string(body), c.loop.server.opts.Load().Policies.Set
	c.put = &gathering{incoming: incoming{verb: p.verb, policies: change}} // for the answer
	log, event := c.loop.server.audit, c.signed(audit.Event{What: commands[p.verb].name})
	c.finish(callSession, c.session.Aside(func() {
		change.done, change.err = set(text, change.version)
		if change.err == nil { // whether or not the client is still there
			event.Detail = change.done.Changes
			log.Tell(event)
		}
	}))
}

// sayPoliciesSet answers set-policies.
func (c *Conn) sayPoliciesSet() {
	change := c.put.policies
	c.put = nil
	if change.err != nil {
		why := change.err.Error()
		c.loop.Out = protocol.AppendNumber(c.loop.Out, "REFUSED ", uint64(len(why)))
		c.loop.Out = append(append(c.loop.Out, why...), protocol.CRLF...)
		return
	}
	c.loop.Out = protocol.AppendYAML(c.loop.Out, func(out []byte) []byte {
		return fmt.Appendf(appendVersion(out, change.done.List), "changes: %+q\n", change.done.Changes)
	})
}

// schedules lists the schedules of tubes whose statistics the client may see, and how they are getting
// on.
func (c *Conn) schedules(*protocol.Command) {
	c.loop.Out = protocol.AppendYAML(c.loop.Out, func(out []byte) []byte {
		list := c.loop.server.opts.Load().Schedules
		if list == nil {
			return out
		}
		for _, s := range list() {
			if c.guard == nil || c.guard.subject.May(s.Tube).Has(access.Stats) {
				out = appendSchedule(out, &s)
			}
		}
		return out
	})
}

// appendSchedule formats an item of the list, a map. Texts are quoted, because an expression may begin
// with what means something in YAML.
func appendSchedule(out []byte, s *schedule.Info) []byte {
	return fmt.Appendf(out, "- name: %q\n  tube: %q\n  cron: %q\n  zone: %q\n  last-tick: %q\n  next-tick: %q\n"+
		"  jobs: %d\n  missed: %d\n  refused: %d\n  refusal: %q\n  from: %q\n",
		s.Name, s.Tube, s.Rule.Cron, s.Rule.Zone, tickTime(s.Last), tickTime(s.Next),
		s.Puts, s.Lost, s.Refused, s.Refusal, s.From)
}

// tickTime is when a tick is; "" if there is none.
func tickTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
