package command

// clusterCommands are about several machines.
var clusterCommands = []Command{
	{
		Name: "cluster", Group: groupServer, Args: "[status]|verify|move NODE|drain NODE|join [NODE]|leave " +
			"NODE|rebuild NODE|init|detach [DIR]",
		json:    "print JSON",
		Summary: "Show and manage a cluster of several machines, make one, or leave it",
		Help: `
These ask the node that runs on this machine; -config or -dir says which one. Run them as that
node's user or as root.

status        who is there, who serves, since when, and what is wrong. The exit code is 1 if nobody
              serves, and 3 if there are problems
verify        read the copies of all nodes, and compare them, while they go on
move NODE     have a node serve; connections are closed, and clients find it
drain NODE    have a node serve no more, for work on its machine; -undo takes that back
leave NODE    give up a node that is gone for long: records are not kept for it any more. If it comes
              back, and some are missing, it gets a copy of the jobs from another one
join [NODE]   take that back, for this node or another one
rebuild NODE  have a node that follows throw its copy of all shards away, or of one with -shard, and
              fetch another one from a node that has it; shows how much has come, until it is done

beanfield help clusters tells how to set one up, and help recovery what to do when nodes are lost. A
node's lag is how many records it lacks. Of a shard, status shows record, the last one of this node's
copy; durable, up to where that copy is in the node's tables, which moves when three quarters of
log_size are in use (until then it is 0, and all is in the node's own log, synced); trim, up to where
the engine's log may be shortened, because all nodes are durable, so it stands still while one is away;
the nodes that lead the shard's two lanes, the engine's streams (? is none that answers): not the one
that serves, some seconds after a change; and how large the lanes are on disk.

verify and rebuild wait for 30 minutes, if -timeout does not say otherwise.

These are about a directory that nobody uses. Run them as the user of the server. They print how
many jobs there are, how many queues, and the highest id.

init          -config FILE -from DIR copies the jobs of DIR, the directory of a server by itself that
              has been stopped, to the empty directory that FILE names for the first node of a new
              cluster. DIR stays as it is. On one file system the copy takes next to no room. If it is
              killed, nobody opens the new directory, and the next init starts over in it.
detach [DIR]  makes the directory of a node that has been stopped that of a server by itself, with all
              jobs that this node has a copy of: also when the other nodes, or the files of the
              engine, are lost. If the cluster goes on without this node, both have the jobs. If it
              is killed, repeat it.`,
		Examples: []string{
			"beanfield cluster status -config /etc/beanfield/beanfield.toml",
			"beanfield cluster verify -json",
			"beanfield cluster move b",
			"beanfield cluster drain -undo b",
			"beanfield cluster status -json -dir /var/lib/beanfield/data",
			"beanfield cluster init -config /etc/beanfield/beanfield.toml -from /var/lib/beanfield/data-before",
			"beanfield cluster detach -config /etc/beanfield/beanfield.toml",
		},
		make: func() action { return new(clustering) },
	},
}
