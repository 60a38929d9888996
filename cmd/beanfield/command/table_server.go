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
	{
		Name: "backup", Group: groupServer, Args: "DIR",
		Summary: "Make a backup of a running server's data, or check one",
		Help: `
DIR is the data directory of a server on this machine; -config finds it in the server's
configuration. The server is found by its lock on the directory, and asked with SIGUSR2, so the
command must be run by its user or by root. The backup's path is printed once it is complete; then
all of it is read, as -check does, unless -quick is given.

-check reads a backup, or any data directory that no server uses, and changes nothing. If anything
cannot be read, the exit code is 1.`,
		Examples: []string{
			"beanfield backup /var/lib/beanfield",
			"beanfield backup -config /etc/beanfield/beanfield.toml",
			"beanfield backup -check /var/lib/beanfield-backups/beanfield-20260102T030405Z",
		},
		make: func() action { return new(backup) },
	},
	{
		Name: "bench", Group: groupServer, remote: true,
		Summary: "Measure how many jobs a second a server puts, reserves and deletes",
		Help: `
A quick and bounded load, in a tube of its own that it empties at the end. What it measures is this
machine's client, the network and the server together: many connections, or a greater depth, show
what the server can do.`,
		Examples: []string{"beanfield bench", "beanfield bench -jobs 200000 -connections 16 -depth 50"},
		make:     func() action { return new(bench) },
	},
}
