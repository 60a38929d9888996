package command

// serverCommands are about a server as a whole.
var serverCommands = []Command{
	{
		Name: "stats", Group: groupServer, Args: "[TUBE|JOB]", remote: true,
		json:    "print one object of JSON",
		Summary: "Show the stats of a server, a tube or a job",
		Help: `
A number is always the id of a job: for a tube whose name is a number, use -tube.

The keys are those of the protocol, in the same order. With -json, numbers are JSON numbers, and
true and false are JSON booleans.`,
		Examples: []string{"beanfield stats", "beanfield stats -json mail", "beanfield stats 7"},
		make:     func() action { return new(stats) },
	},
	{
		Name: "top", Group: groupServer, Args: "[PATTERN]", remote: true, tubes: true,
		json:    "print an object for each table",
		Summary: "Watch the busiest tubes, with their rates",
		Help: `
Rates are jobs put and deleted per second; the counts are current. On a terminal the table is
refreshed every second until Ctrl-C; otherwise one table is printed.`,
		Examples: []string{"beanfield top", "beanfield top -interval 5s 'mail*'", "beanfield top -json -count 10"},
		make:     func() action { return new(top) },
	},
	{
		Name: "tail", Group: groupServer, Args: "[PATTERN]", remote: true, tubes: true,
		json:    "print an object for each job, as export does",
		Summary: "Show jobs as they come, without taking them",
		Help: `
A few times a second it peeks at all new ids. A job that is put and deleted in between is not shown.
To learn which id to begin with, it puts a job into the tube beanfield.probe and deletes it at once.
Ctrl-C ends it.`,
		Examples: []string{"beanfield tail", "beanfield tail -json -n 10 'mail*'"},
		make:     func() action { return new(tail) },
	},
	{
		Name: "schedules", Group: groupServer, Args: "[set NAME KEY=VALUE...|remove NAME]", remote: true,
		json:    "print an object of JSON for each schedule",
		Summary: "Show the jobs that the server puts by the clock, and change them",
		Help: `
Each line is a schedule: its next and its last tick, how many jobs were put since the schedule is there,
how many ticks were missed, how many were refused at first, because the tube or the disk was full or the
server draining, and where it was written: in the configuration file, or at run time. With rules, you see
the schedules of the tubes on which you have the right stats. beanfield help cron says more.

set     give keys of a schedule of run time other values, or make a new one; KEY= takes a key out
remove  remove a schedule of run time: it stops

The server keeps them over restarts, if it has a data directory. What the file has is changed in the file.
They are in one text with the policies of run time: beanfield policy edit shows and changes both. If
anything is wrong, nothing changes, and the exit code is 1. With rules you need admin on every tube.`,
		Examples: []string{
			"beanfield schedules", "beanfield schedules -json",
			"beanfield schedules set nightly cron='30 2 * * *' zone=Europe/Berlin tube=reports body=nightly",
			"beanfield schedules remove nightly",
		},
		make: func() action { return new(schedules) },
	},
	{
		Name: "slow", Group: groupServer,
		json:    "print an object of JSON for each command",
		Summary: "Show which commands were slow, and what they waited for",
		Help: `
The server remembers the last 400 commands that took longer than log.slow, 100ms by default. A
reserve is not slow because it waits for a job. Each line says when a command came, how long it
took, and what of that it waited for its turn, ran, and waited for the disk.

The server tells over HTTP, so it needs an address there (http.listen, or -http). On the server's
machine -config finds the address and the token in the server's configuration. With rules, you need
the right stats on every tube, or see the commands of the tubes on which you have it.`,
		Examples: []string{
			"beanfield slow -config /etc/beanfield/beanfield.toml",
			"beanfield slow -http 10.0.0.5:8080 -token-file token -json",
		},
		make: func() action { return new(slow) },
	},
	{
		Name: "refused", Group: groupServer,
		json:    "print an object of JSON for each command",
		Summary: "Show which commands were refused, and why",
		Help: `
The server remembers the last 400 commands of the beanstalk protocol that were refused because of
what the client sent or may do: BAD_FORMAT, UNKNOWN_COMMAND, EXPECTED_CRLF, JOB_TOO_BIG,
NOT_TOGETHER, and NOT_FOUND where a right is missing. Each line says when that was, the reason, the
client, and up to 200 bytes of what it sent, but no token. If more is not known any more, that is
the command's name with its tube, job or size.

It finds the server as beanfield slow does. With rules, you need the right admin on every tube.`,
		Examples: []string{
			"beanfield refused -config /etc/beanfield/beanfield.toml",
			"beanfield refused -http 10.0.0.5:8080 -token-file token -json",
		},
		make: func() action { return new(refused) },
	},
	{
		Name: "policy", Group: groupServer, Args: "[list [TUBE]]|set PATTERN KEY=VALUE...|remove PATTERN|load " +
			"FILE|edit|text", remote: true, tubes: true,
		json:    "with list: print an object of JSON for each policy",
		Summary: "Show the policies of tubes, and change those that are set at run time",
		Help: `
list    all policies in the order in which they are asked, those of run time first; settings that are not
        shown have their defaults. With TUBE, the one that holds for it; if none does, the exit code is 3
set     give keys of the policy with this pattern other values; KEY= takes a key out. A policy that is
        new begins with what the configuration file says for this pattern, and comes before the first
        one that would hide it
remove  remove the policy with this pattern; the file's hold again
load    replace all by those of a file; - is standard input
edit    edit all, with $VISUAL or $EDITOR
text    print the text of all: also of the schedules that are set at run time, as for load and edit

The server keeps them over restarts, if it has a data directory. If anything is wrong with them, or
somebody else has changed them meanwhile, nothing changes, and the exit code is 1. With rules you need
the right admin on every tube; for list stats on every tube, or on TUBE. beanfield help policies tells
what the keys mean.`,
		Examples: []string{
			"beanfield policy list mail",
			"beanfield policy set 'mail*' max_jobs=1000 retry=1s..1h",
			"beanfield policy remove 'mail*'",
			"beanfield policy text > policies.toml",
		},
		make: func() action { return new(policy) },
	},
	{
		Name: "backup", Group: groupServer, Args: "[DIR]",
		json:    "print lines of JSON",
		Summary: "Make a backup of a running server's data, or check one",
		Help: `
DIR is the data directory of a server on this machine; -config finds it in the server's
configuration. The command finds the server by its lock on the directory and sends it SIGUSR2, so
it must be run by the server's user or by root. It prints the backup's path once the backup is
complete, and then reads all of it, as -check does, unless -quick is given.

-check reads a backup, or any data directory that no server uses, and changes nothing. If anything
cannot be read, the exit code is 1.`,
		Examples: []string{
			"beanfield backup /var/lib/beanfield/data",
			"beanfield backup -config /etc/beanfield/beanfield.toml",
			"beanfield backup -check /var/lib/beanfield/backups/beanfield-20260102T030405Z",
		},
		make: func() action { return new(backup) },
	},
	{
		Name: "bench", Group: groupServer, remote: true,
		json:    "print an object of JSON",
		Summary: "Measure how many jobs a second a server puts, reserves and deletes",
		Help: `
The load is short and limited, in a tube of its own, which is empty at the end. bench measures the
client on this machine, the network and the server together: to see what the server can do, use
many connections or a greater depth.`,
		Examples: []string{"beanfield bench", "beanfield bench -jobs 200000 -connections 16 -depth 50"},
		make:     func() action { return new(bench) },
	},
}
