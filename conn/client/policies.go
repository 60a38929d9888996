package client

import (
	"context"
	"fmt"
	"strings"

	wire "beanfield/conn/beanstalk/client"
)

// Policies are those of all tubes.
func (c *Conn) Policies(ctx context.Context) (Policies, error) {
	return added(ctx, c, "policies", (*wire.Client).Policies)
}

// Policy is the one that holds for a tube.
func (c *Conn) Policy(ctx context.Context, tube string) (Document, error) {
	if err := checkTube(tube); err != nil {
		return nil, err
	}
	return added(ctx, c, "policy", func(w *wire.Client) (Document, error) { return w.Policy(tube) })
}

// mostVersion keeps the line short: behind one that is too long, the text would be read as commands.
const mostVersion = 100

// SetPolicies replaces the policies that were set at run time, if they are still those of a version;
// "" for any. The answer has version, kept and changes. A text that the server refuses is a
// PoliciesError, for errors.As.
func (c *Conn) SetPolicies(ctx context.Context, text, version string) (Document, error) {
	if len(version) > mostVersion || strings.Trim(version, nameBytes) != "" {
		return nil, fmt.Errorf("%w: %.60q is no version of policies", ErrInvalid, version)
	}
	return added(ctx, c, "set-policies", func(w *wire.Client) (Document, error) { return w.SetPolicies(text, version) })
}

// Schedules are those of the server, and how they are getting on.
func (c *Conn) Schedules(ctx context.Context) ([]Document, error) {
	return added(ctx, c, "schedules", (*wire.Client).Schedules)
}
