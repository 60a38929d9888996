package command

// selfCommands are about this program.
var selfCommands = []Command{
	{
		Name: checkConfig, Group: groupSelf, Args: "[FILE] | -starter",
		Summary: "Print the settings that the server would use, and where each comes from",
		Help: `
FILE may be - for standard input. check-config accepts the flags of the server, which beanfield -h
lists, and starts nothing. It warns of what is probably not meant. The exit code is 0, or the one with which
the server would end, such as 5 for a mistake. With -starter it prints a short configuration to begin with.`,
		Examples: []string{
			"beanfield check-config /etc/beanfield/beanfield.toml",
			"beanfield check-config -config /etc/beanfield/beanfield.toml -p 11301",
			"beanfield check-config -starter > beanfield.toml",
		},
	},
	{
		Name: "completion", Group: groupSelf, Args: "bash|zsh|fish",
		Summary: "Print a completion script for a shell",
		Examples: []string{
			"beanfield completion bash > /etc/bash_completion.d/beanfield",
			"beanfield completion fish > ~/.config/fish/completions/beanfield.fish",
		},
		make: func() action { return new(completion) },
	},
	{
		Name: "help", Group: groupSelf, Args: "[TOPIC]",
		Summary:  "Explain a command, a topic, or a verb of the protocol",
		Help:     "beanfield help man prints the manual page, for man.",
		Examples: []string{"beanfield help put", "beanfield help migration", "beanfield help put-with"},
		make:     func() action { return new(help) },
	},
	{
		Name: "size", Group: groupSelf,
		json:    "print one object of JSON, in bytes",
		Summary: "Estimate the memory and the disk that a server needs",
		Help: `
It contacts no server: it calculates with measured figures, which beanfield help sizing explains.`,
		Examples: []string{"beanfield size -jobs 5000000 -body 1000", "beanfield size -jobs 20000 -memory -json"},
		make:     func() action { return new(size) },
	},
	{
		Name: "token", Group: groupSelf,
		json:    "print one object of JSON",
		Summary: "Make a token for clients, and print the line of the configuration that admits it",
		Help: `
The first line that it prints is the token, for the client. It is kept nowhere: the configuration
has only its hash, and nobody can find the token from that. beanfield help access tells more.`,
		Examples: []string{"beanfield token", "beanfield token -json"},
		make:     func() action { return facts(newToken) },
	},
	{
		Name: "version", Group: groupSelf,
		json:    "print one object of JSON",
		Summary: "Print the version",
		make:    func() action { return facts(versionOf) },
	},
}
