package command

import (
	"fmt"

	"beanfield/conn/access"
)

// makeToken is the command token.
func makeToken(c *call) error {
	if err := c.noWords(); err != nil {
		return err
	}
	t := access.NewToken()
	_, err := fmt.Fprintf(c.Stdout, "%s\n\n# For a rule, [[access]], in the configuration:\ntoken = %q\n", t, access.HashOf(t))
	return err
}
