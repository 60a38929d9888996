package marked

import (
	"fmt"
	"slices"
	"time"

	"beanfield/conn/beanstalk/client"
)

// portion is how many jobs are asked about at once.
const portion = 16

// Look asks for jobs by their ids, with stats-job and peek, and hands over what the server says of each, and when it
// was asked.
func Look(c *client.Client, ids []uint64, says func(id uint64, stats, peek client.Reply, sent time.Time) error) error {
	for some := range slices.Chunk(ids, portion) {
		var commands []string
		sent := time.Now()
		for _, id := range some {
			commands = append(commands, fmt.Sprintf("stats-job %d", id), fmt.Sprintf("peek %d", id))
		}
		replies, err := c.Exchange(commands...)
		for i := 1; i < len(replies); i += 2 {
			if err := says(some[i/2], replies[i-1], replies[i], sent); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// States are those in which stats counts jobs.
var States = []string{"ready", "reserved", "delayed", "buried"}

// Count is how many jobs there are, as stats counts them.
func Count(stats client.Document) (n int64) {
	for _, state := range States {
		n += stats.Number("current-jobs-" + state)
	}
	return n
}
