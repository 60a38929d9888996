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
}
