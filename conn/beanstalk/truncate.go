package beanstalk

import (
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/slow"
	"beanfield/shard/queue"
)

// truncateOptions are the options of truncate.
var truncateOptions = []protocol.Option[queue.States]{
	{Name: "state", Set: func(of *queue.States, _, value []byte) bool {
		return protocol.StatesOf(of, value) && !of.Has(queue.Reserved)
	}},
}

// truncate adds a truncate of all jobs, or of those in some states, to the run.
func (c *Conn) truncate(cmd *protocol.Command) bool {
	of := queue.States(0)
	if !protocol.Read(cmd.Options, truncateOptions, &of) {
		return c.reject(cmd.Verb, protocol.BadFormat, false, slow.Option)
	}
	cmd.N = uint32(of)
	return c.runInShard(cmd)
}
