package command

// tubeCommands are about the jobs of whole tubes.
var tubeCommands = []Command{
	{
		Name: "tubes", Group: groupTubes, Args: "[PATTERN]", remote: true, tubes: true,
		json:    "print an object of JSON for each tube, with the keys of stats-tube",
		Summary: "List tubes with their counts",
		Help: `
PATTERN works as for file names: * stands for any text, ? for one character, [a-z] for one of these.
A tube exists as long as it has a job, or a client that uses or watches it.`,
		Examples: []string{"beanfield tubes", "beanfield tubes -json 'mail*'"},
		make:     func() action { return new(tubes) },
	},
	{
		Name: "kick", Group: groupTubes, Args: "TUBE [N]", remote: true, tubes: true,
		json:    "print the count as an object of JSON",
		Summary: "Make buried jobs ready, or delayed ones if none is buried",
		Help: `
It kicks all of them, or at most N, a thousand with each command. With -jobs the arguments are ids,
and only those jobs are kicked, whatever their tubes.`,
		Examples: []string{"beanfield kick mail", "beanfield kick mail 10", "beanfield kick -jobs 12 13"},
		make:     func() action { return new(kick) },
	},
	{
		Name: "pause", Group: groupTubes, Args: "TUBE TIME", remote: true, tubes: true,
		Summary: "Hold back a tube's jobs for a while",
		Help: `
TIME is in seconds, or has a unit. Until it has passed, workers get no jobs from the tube. 0 ends a
pause.`,
		Examples: []string{"beanfield pause mail 5m", "beanfield pause mail 0"},
		make:     func() action { return plain(pauseTube) },
	},
	{
		Name: "purge", Group: groupTubes, Args: "TUBE", remote: true, tubes: true,
		json:    "print the count as an object of JSON",
		Summary: "Delete all jobs of a tube",
		Help: `
Jobs that workers have reserved stay. A beanfield deletes all of them at once, with truncate. With -n,
and from a beanstalkd, purge takes and deletes each job, many with one round trip. It deletes no more than
there were when it began, so that it ends even if others keep putting. It prints how many it has deleted.`,
		Examples: []string{"beanfield purge mail", "beanfield purge -state buried mail"},
		make:     func() action { return new(purge) },
	},
	{
		Name: "move", Group: groupTubes, Args: "FROM TO", remote: true, tubes: true,
		json:    "print the count as an object of JSON",
		Summary: "Move the jobs of a tube to another one",
		Help: `
Jobs keep their body, priority, TTR, state and what is left of their delay. Jobs that workers have
reserved stay where they are. A server that has the command move-jobs moves them itself: they keep
ids, counters and age too, and whatever happens, none is in both tubes or in none. If the other tube is
full, the rest stays, and the exit code is 1.

With other servers, and beanstalkd, they get new ids, and their counters start at 0. Then it
reserves each job, puts a copy, and only then deletes the original. It has up to 100 ready jobs in
hand at once, or 10 delayed or buried ones. If the connection is lost, these may be in both tubes, and the
latter become ready; none is lost. If it is interrupted, it first finishes those that it has in hand,
and prints how many were moved. For delayed and buried jobs the server must know reserve-job, as
beanstalkd does since 1.12.`,
		Examples: []string{"beanfield move mail mail.old", "beanfield move -state buried -n 100 mail repair"},
		make:     func() action { return new(move) },
	},
	{
		Name: "export", Group: groupTubes, Args: "TUBE...", remote: true, tubes: true,
		Summary: "Print the jobs of tubes as lines of JSON",
		Help: `
Each line is an object: tube, id, pri, delay (what is left of it, in seconds), ttr, state, and body,
or body_base64 if the body is not UTF-8. Jobs stay where they are: export reserves nothing.

It works with every server, also those that cannot list a tube's jobs ("beanfield list" asks a
server that can). So export looks at every id, from the highest down,
and stops when it has found as many jobs as there were when it began. To learn the highest id it
puts a job into the tube beanfield.probe and deletes it at once, unless you give -below. If the
server has given out many millions of ids, this may take minutes. Jobs come in the order of their ids;
jobs put meanwhile are left out, and so are those that are deleted meanwhile. This is no failure: the
exit code is 0, and standard error says how many of those that export had found are gone.`,
		Examples: []string{
			"beanfield export mail > mail.jsonl",
			"beanfield export -all -server beanstalk://old:11300 > all.jsonl",
		},
		make: func() action { return new(export) },
	},
	{
		Name: "load", Group: groupTubes, Args: "[FILE...]", remote: true,
		json:    "print an object with the id for each job",
		Summary: "Put the jobs that export has printed",
		Help: `
It reads files, or standard input. Each job goes to its tube with its priority, delay and TTR;
ids are new, and are printed; on a terminal load shows how far it is instead. Reserved jobs become
ready. Buried jobs are buried again, in the order of the lines; for that the server must know
reserve-job, as beanstalkd does since 1.12. A line must have tube and body; for the rest, load has
the defaults of put.

If a line is not a job, load stops there and prints the number of the line. If it is interrupted, it
first prints the ids of all jobs that were put, and the line after which it has stopped.`,
		Examples: []string{
			"beanfield load mail.jsonl",
			"beanfield export mail | beanfield load -server beanstalk://new:11300 -quiet",
		},
		make: func() action { return new(load) },
	},
}
