package command

// serverCommands are about a server as a whole.
var serverCommands = []Command{
	{
		Name: "stats", Group: groupServer, remote: true,
		Summary: "Show the stats of a server, a tube or a job",
		Help: `
The keys are those of the protocol, in its order. With -json numbers are numbers, and true and
false are truth values.`,
		Examples: []string{"beanfield stats", "beanfield stats -json -tube mail", "beanfield stats -job 7"},
		make:     func() action { return new(stats) },
	},
	{
		Name: "top", Group: groupServer, Args: "[PATTERN]", remote: true,
		Summary: "Watch the busiest tubes, with their rates",
		Help: `
Rates are of jobs put and deleted each second, and the counts are those of the moment. On a
terminal the table is shown anew each second until Ctrl-C; otherwise one table is printed.`,
		Examples: []string{"beanfield top", "beanfield top -interval 5s 'mail*'", "beanfield top -json -count 10"},
		make:     func() action { return new(top) },
	},
	{
		Name: "tail", Group: groupServer, Args: "[PATTERN]", remote: true,
		Summary: "Show jobs as they come, without taking them",
		Help: `
It peeks at each new id a few times a second. A job that is put and deleted between two looks is
not shown. To learn where to begin it puts a job into the tube beanfield.probe and deletes it at
once. Ctrl-C ends it.`,
		Examples: []string{"beanfield tail", "beanfield tail -json -n 10 'mail*'"},
		make:     func() action { return new(tail) },
	},
}
