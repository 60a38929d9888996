package command

// dataCommands need no server.
var dataCommands = []Command{
	{
		Name: "import", Group: groupData, Args: "-from OLD_DIR -to NEW_DIR",
		Summary: "Move jobs from beanstalkd's binlogs to a new data directory",
		Help: `
Stop beanstalkd first. Its directory is only read. NEW_DIR must be empty or not exist, and
becomes a data directory only at the very end: if an import is killed, a server refuses the
directory, and the next import starts over in it. Afterwards, chown it to the user that the
server runs as.

Reserved jobs become ready, delayed jobs keep their time, buried jobs keep their order, and new
ids are above the highest one ever logged. The report says what was skipped, where and why.`,
		Examples: []string{
			"beanfield import -from /var/lib/beanstalkd -dry-run",
			"beanfield import -from /var/lib/beanstalkd -to /var/lib/beanfield",
		},
		make: func() action { return new(importing) },
	},
	{
		Name: "dump", Group: groupData, Args: "DIR",
		Summary: "Show what is in a data directory, or salvage a damaged one",
		Help: `
Stop the server first, or dump a copy. dump lists the jobs in the order in which a server would
recover them, and then the tubes with their counts. It changes nothing in DIR, which may be
on a file system that is read-only.

-salvage copies what can be read of a damaged directory to a new one, which must not exist yet, and
leaves the old one as it is. It lists what could not be read, and how many jobs may be back that had
been deleted, and then ends with exit code 3.`,
		Examples: []string{
			"beanfield dump -summary /var/lib/beanfield/data",
			"beanfield dump -json -bodies /var/lib/beanfield/data",
			"beanfield dump -salvage /var/lib/beanfield/data-new /var/lib/beanfield/data",
		},
		make: func() action { return new(dumping) },
	},
}
