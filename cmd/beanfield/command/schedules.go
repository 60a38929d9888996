package command

import "beanfield/conn/beanstalk/client"

// schedules is the command of that name. Those that are set at run time are in one text with the policies,
// which is changed as the command policy does.
type schedules struct{}

func (*schedules) run(c *call) error {
	word, err := c.act("", "remove", "set")
	switch {
	case err != nil:
		return err
	case word == "":
		return c.withServer(func(s *server) error {
			list, err := s.Schedules()
			if err != nil {
				return err
			}
			return c.table(list, false, "next_tick=next-tick last_tick=last-tick jobs=jobs missed=missed refused=refused "+
				"from=from tube=tube name=name")
		})
	case c.json:
		return usagef("-json is for the list")
	}
	return c.edit(func(c *call, p *client.Policies) (string, error) {
		if word == "remove" {
			return scheduleTables.remove(c.words, p.Text)
		}
		return scheduleTables.set(c.words, p.Text, func(t string, _ []string) (string, int) { return t, -1 })
	})
}
