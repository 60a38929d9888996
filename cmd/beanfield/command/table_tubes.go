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
	{
		Name: "export", Group: groupTubes, Args: "TUBE...", remote: true,
		Summary: "Print the jobs of tubes as lines of JSON",
		Help: `
Each line is an object: tube, id, pri, delay (what is left of it, in seconds), ttr, state, and body,
or body_base64 if the body is not UTF-8. Jobs stay where they are: export reserves nothing.

The protocol has no list of a tube's jobs. So export looks at every id, from the highest down,
and stops when it has found as many jobs as there were when it began. To learn the highest id it
puts a job into the tube beanfield.probe and deletes it at once; -below does without. On a server
that has given many millions of ids it may take minutes. Jobs come in the order of their ids;
jobs put meanwhile are left out, and so are those that are deleted meanwhile.`,
		Examples: []string{
			"beanfield export mail > mail.jsonl",
			"beanfield export -all -server beanstalk://old:11300 > all.jsonl",
		},
		make: func() action { return new(export) },
	},
	{
		Name: "load", Group: groupTubes, Args: "[FILE...]", remote: true,
		Summary: "Put the jobs that export has printed",
		Help: `
It reads files, or standard input. Each job goes to its tube with its priority, delay and TTR;
ids are new, and are printed. Reserved jobs become ready. Buried jobs are buried again, in the
order of the lines; the server must know reserve-job for that, as beanstalkd does from 1.12 on.
In a line, tube and body are needed; the rest has the defaults of put.

If a line is not a job, load ends there, with the number of the line.`,
		Examples: []string{
			"beanfield load mail.jsonl",
			"beanfield export mail | beanfield load -server beanstalk://new:11300 -quiet",
		},
		make: func() action { return new(load) },
	},
}
