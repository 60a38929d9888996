package command

// tubeCommands are about the jobs of whole tubes.
var tubeCommands = []Command{
	{
		Name: "tubes", Group: groupTubes, Args: "[PATTERN]", remote: true,
		Summary: "List tubes with their counts",
		Help: `
PATTERN is as for names of files: * is any text, ? one character, [a-z] one of these. A tube
exists as long as it has a job, or a client that uses or watches it.`,
		Examples: []string{"beanfield tubes", "beanfield tubes -json 'mail*'"},
		make:     func() action { return new(tubes) },
	},
	{
		Name: "kick", Group: groupTubes, Args: "TUBE [N]", remote: true,
		Summary: "Make buried jobs ready, or delayed ones if none is buried",
		Help: `
All of them, or N at most, a thousand at a time. With -jobs the arguments are ids: those jobs
alone are kicked, whatever their tube.`,
		Examples: []string{"beanfield kick mail", "beanfield kick mail 10", "beanfield kick -jobs 12 13"},
		make:     func() action { return new(kick) },
	},
	{
		Name: "pause", Group: groupTubes, Args: "TUBE TIME", remote: true,
		Summary: "Hold back a tube's jobs for a while",
		Help: `
TIME is in seconds, or has a unit. Workers get no job of the tube until it has passed; 0 ends a
pause.`,
		Examples: []string{"beanfield pause mail 5m", "beanfield pause mail 0"},
		make:     func() action { return new(pause) },
	},
	{
		Name: "purge", Group: groupTubes, Args: "TUBE", remote: true,
		Summary: "Delete all jobs of a tube",
		Help: `
Jobs that workers have reserved stay. It deletes one job at a time, as clients of beanstalkd have
to, and no more than there were when it began, so that it ends while others put. The number is
printed.`,
		Examples: []string{"beanfield purge mail", "beanfield purge -state buried mail"},
		make:     func() action { return new(purge) },
	},
	{
		Name: "move", Group: groupTubes, Args: "FROM TO", remote: true,
		Summary: "Move the jobs of a tube to another one",
		Help: `
Body, priority, TTR, what is left of a delay, and the state stay; jobs get new ids, and their
counters begin anew. Jobs that workers have reserved stay where they are. It moves one job at a
time: reserves it by its id, puts a copy, and only then deletes it. If it is cut short at that
moment, one job is in both tubes, and none is lost. The server must know reserve-job, as
beanstalkd does from 1.12 on.`,
		Examples: []string{"beanfield move mail mail.old", "beanfield move -state buried -n 100 mail repair"},
		make:     func() action { return new(move) },
	},
}
