package command

// jobCommands are about single jobs.
var jobCommands = []Command{
	{
		Name: "put", Group: groupJobs, Args: "[BODY...]", remote: true,
		json:    "print an object with the id for each job",
		Summary: "Put jobs: each argument, a file, or each line of standard input",
		Help: `
Each BODY is a job, byte for byte; - is what standard input holds, up to its end. With -file the
whole file is one job. With -lines each line is a job, without its line end; an empty line is a job
too. put sends many jobs at a time, but never holds lines back to wait for more input. It prints the
ids in the order of the jobs.

If the server refuses a job, the others are still put, unless the server takes no more jobs at all.
put reports what was not put, and the exit code is 1. If it is interrupted, it first prints the ids of
all jobs that were put.

Times are seconds, or have a unit: 90, 90s, 2m. Write -- before a BODY that begins with a dash. A job
that is a dash and nothing else has to come from standard input.

-unique, -unique-for, -once, -expire, -deliveries and -tag need a beanfield; see beanfield help puts. If a
job has the key already, put says which, and the exit code is 1. With -once NAME, a put that was
interrupted can be repeated: it prints the same ids. If there are several jobs, the first has the name
NAME.1, the second NAME.2, and so on.`,
		Examples: []string{
			"beanfield put -tube mail hello",
			"beanfield put -tube mail -delay 5m -file letter.txt",
			"date | beanfield put -tube mail -ttr 90 -",
			"beanfield put -tube mail -lines < letters.txt",
			"beanfield put -tube mail -unique 'order 17' -expire 1h -tag colour=red hello",
		},
		make: func() action { return new(put) },
	},
	{
		Name: "reserve", Group: groupJobs, Args: "[TUBE...]", remote: true, tubes: true,
		json:    "print an object for each job, as export does",
		Summary: "Take the next job, print it, then delete, bury or release it",
		Help: `
Without -timeout it does not wait: if no job is ready, the exit code is 3. A job is deleted or
buried only after it has been printed. By default it goes back to its tube at the end, as if the
worker had died: only its count of reserves has changed.`,
		Examples: []string{
			"beanfield reserve mail -timeout 10s -then delete",
			"beanfield reserve -tube mail -tube news -n 100 -json",
		},
		make: func() action { return new(reserve) },
	},
	{
		Name: "peek", Group: groupJobs, Args: "ID...|TUBE", remote: true,
		json:    "print an object for each job, as export does",
		Summary: "Print jobs without taking them",
		Help: `
Give ids, or a tube to see its next job. By their ids, jobs of any state can be seen,
reserved ones too.`,
		Examples: []string{"beanfield peek 12 13", "beanfield peek -json 12",
			"beanfield peek -tube mail -state buried -raw"},
		make: func() action { return new(peek) },
	},
	{
		Name: "list", Group: groupJobs, Args: "[TUBE]", remote: true, tubes: true,
		json:    "print an object of JSON for each job",
		Summary: "List jobs of one tube or of all, or search them",
		Help: `
Jobs are listed whatever their state, in no particular order, and stay where they are. A job that is there
from beginning to end is listed once. For a reserved job you see the address of the client that holds it, if
you have the right to know, and how many seconds ago it was reserved or last touched.

The server does the search, a part with each command, so others do not wait for it: ten million bodies
take seconds. A server that does not have list-jobs (beanstalkd does not) cannot do it. If no job is found,
the exit code is 3.`,
		Examples: []string{
			"beanfield list -tube mail -state buried -older 1h",
			"beanfield list -body 'order 4711' -n 1",
			"beanfield list -json -state reserved,delayed -tag colour=red",
		},
		make: func() action { return new(list) },
	},
	{
		Name: "delete", Group: groupJobs, Args: "ID...", remote: true,
		Summary: "Delete jobs by their ids",
		Help: `
A job that somebody has reserved counts as not found: the exit code is 3. The others are deleted
all the same.`,
		Examples: []string{"beanfield delete 12 13"},
		make:     func() action { return plain(deleteJobs) },
	},
	{
		Name: "bury", Group: groupJobs, Args: "ID...", remote: true,
		Summary: "Set jobs aside until they are kicked",
		Help: `
It reserves each job by its id and buries it with the same priority. The server must know
reserve-job, as beanstalkd does since 1.12. A job that somebody else has reserved counts as not
found.`,
		Examples: []string{"beanfield bury 12"},
		make:     func() action { return plain(buryJobs) },
	},
}
