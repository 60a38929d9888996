package command

// jobCommands are about single jobs.
var jobCommands = []Command{
	{
		Name: "put", Group: groupJobs, Args: "[BODY...]", remote: true,
		Summary: "Put jobs: each argument, a file, or each line of standard input",
		Help: `
Each BODY is a job, bytes as they are. With -file the whole file is one job; with -lines each line
is one, without its line end, even an empty line. Many jobs are sent at a time, but lines that
have been read never wait for more input. The ids are printed in the order of the jobs.

If the server refuses a job, the others are still put, unless it takes no more at all; what was
not put is said, and the exit code is 1. Write -- before a BODY that begins with a dash.`,
		Examples: []string{
			"beanfield put -tube mail hello",
			"beanfield put -tube mail -delay 60 -file letter.txt",
			"beanfield put -tube mail -lines < letters.txt",
		},
		make: func() action { return new(put) },
	},
	{
		Name: "reserve", Group: groupJobs, remote: true,
		Summary: "Take the next job, print it, then delete, bury or release it",
		Help: `
Without -timeout it does not wait: if no job is ready, the exit code is 3. A job is deleted or
buried only after it has been printed. Without -then it goes back to its tube at the end, as if
the worker had died: its count of reserves is higher, and nothing else has changed.`,
		Examples: []string{
			"beanfield reserve -tube mail -timeout 10s -then delete",
			"beanfield reserve -tube mail -tube news -n 100 -json",
		},
		make: func() action { return new(reserve) },
	},
	{
		Name: "peek", Group: groupJobs, Args: "ID...", remote: true,
		Summary: "Print jobs without taking them",
		Help: `
By id, or with -tube the one that is next there. Jobs of any state can be seen, reserved ones too.`,
		Examples: []string{"beanfield peek 12 13", "beanfield peek -json 12", "beanfield peek -tube mail -state buried -raw"},
		make:     func() action { return new(peek) },
	},
	{
		Name: "delete", Group: groupJobs, Args: "ID...", remote: true,
		Summary: "Delete jobs by their ids",
		Help: `
A job that somebody has reserved is not found. Then the exit code is 3; the others are deleted.`,
		Examples: []string{"beanfield delete 12 13"},
		make:     func() action { return new(deleting) },
	},
	{
		Name: "bury", Group: groupJobs, Args: "ID...", remote: true,
		Summary: "Set jobs aside until they are kicked",
		Help: `
It reserves each job by its id and buries it with its priority; the server must know reserve-job,
as beanstalkd does from 1.12 on. A job that somebody else has reserved is not found.`,
		Examples: []string{"beanfield bury 12"},
		make:     func() action { return new(bury) },
	},
}
