package command

import (
	"flag"
	"fmt"

	"beanfield/conn/access"
)

// token is the command of that name.
type token struct{}

func (*token) flags(*flag.FlagSet) {}

func (*token) run(c *call) error {
	if err := c.noWords(); err != nil {
		return err
	}
	t := access.NewToken()
	_, err := fmt.Fprintf(c.Stdout, "%s\n\n# For a rule, [[access]], in the configuration:\ntoken = %q\n", t, access.HashOf(t))
	return err
}
