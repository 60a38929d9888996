package beanstalk

import (
	"strconv"

	"beanfield/conn"
	"beanfield/conn/access"
	"beanfield/conn/audit"
	"beanfield/conn/beanstalk/protocol"
)

// Administrators see the policies of tubes and change those that were set at run time. What a policy
// is, and where it is kept, others know (conn.Policies): here the answers are worded.

// policies runs the command of that name.
func (c *Conn) policies(*protocol.Command) {
	list := c.loop.server.opts.Load().Policies.Show()
	if c.guard != nil && c.guard.subject.Everywhere()&(access.Peek|access.Admin) == 0 {
		list = list.WithoutBodies()
	}
	c.loop.effort -= len(list.Text)/64 + len(list.Policies)
	c.loop.out = protocol.AppendYAML(c.loop.out, func(out []byte) []byte {
		out = appendVersion(out, list)
		out = protocol.AppendRaw(out, "text", quoted(list.Text))
		out = appendTexts(out, "problems", list.Problems)
		if len(list.Policies) == 0 {
			return protocol.AppendRaw(out, "policies", "[]")
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
	p, ok := c.loop.server.opts.Load().Policies.For(string(cmd.Name))
	if c.guard != nil {
		p = p.For(c.guard.subject.Sees)
	}
	c.loop.out = protocol.AppendYAML(c.loop.out, func(out []byte) []byte {
		out = protocol.AppendString(out, "tube", string(cmd.Name), c.loop.server.opts.Load().Quoting)
		if !ok {
			return protocol.AppendRaw(out, "from", "none")
		}
		return appendPolicy(out, "", "", &p)
	})
}

// quoted writes a text in a way that Go and YAML share.
func quoted(text string) string { return strconv.QuoteToASCII(text) }

func appendVersion(out []byte, list *conn.PolicyList) []byte {
	out = protocol.AppendRaw(out, "version", quoted(list.Version))
	return protocol.AppendRaw(out, "kept", strconv.FormatBool(list.Kept))
}

func appendTexts(out []byte, key string, texts []string) []byte {
	if len(texts) == 0 {
		return protocol.AppendRaw(out, key, "[]")
	}
	out = append(append(out, key...), ":\n"...)
	for _, t := range texts {
		out = protocol.AppendItem(out, quoted(t))
	}
	return out
}

// appendPolicy appends a policy, the first line behind one indent and the others behind another.
func appendPolicy(out []byte, first, indent string, p *conn.Policy) []byte {
	line := func(indent, key, value string) {
		out = protocol.AppendRaw(append(out, indent...), key, value)
	}
	line(first, "match", quoted(p.Match))
	line(indent, "from", quoted(p.From))
	line(indent, "line", strconv.Itoa(p.Line))
	if p.HiddenBy != "" {
		line(indent, "hidden-by", quoted(p.HiddenBy))
	}
	for _, s := range p.Settings {
		line(indent, s.Key, string(s.Value))
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
	c.put = &incoming{verb: p.verb, policies: change} // for the answer
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
		c.loop.out = protocol.AppendNumber(c.loop.out, "REFUSED ", uint64(len(why)))
		c.loop.out = append(append(c.loop.out, why...), protocol.CRLF...)
		return
	}
	c.loop.out = protocol.AppendYAML(c.loop.out, func(out []byte) []byte {
		out = appendVersion(out, change.done.List)
		return protocol.AppendRaw(out, "changes", quoted(change.done.Changes))
	})
}
