package protocol

import (
	"fmt"

	"beanfield/shard/queue"
)

// The replies of stats-job and stats-tube: complete, in this order, and with
// no key more, because clients compare them as a whole.

func AppendJobStats(out []byte, j *queue.JobInfo, q Quoting) []byte {
	return AppendYAML(out, func(out []byte) []byte {
		return fmt.Appendf(out, "id: %d\ntube: %s\nstate: %s\npri: %d\nage: %d\ndelay: %d\nttr: %d\ntime-left: %d\nfile: 0\n"+
			"reserves: %d\ntimeouts: %d\nreleases: %d\nburies: %d\nkicks: %d\n",
			j.ID, q.Text(j.Tube), j.State, j.Pri, j.Age, j.Delay, j.TTR, j.TimeLeft,
			j.Reserves, j.Timeouts, j.Releases, j.Buries, j.Kicks)
	})
}

func AppendTubeStats(out []byte, t *queue.TubeInfo, q Quoting) []byte {
	return AppendYAML(out, func(out []byte) []byte {
		return fmt.Appendf(out, "name: %s\ncurrent-jobs-urgent: %d\ncurrent-jobs-ready: %d\ncurrent-jobs-reserved: %d\n"+
			"current-jobs-delayed: %d\ncurrent-jobs-buried: %d\ntotal-jobs: %d\ncurrent-using: %d\ncurrent-watching: %d\n"+
			"current-waiting: %d\ncmd-delete: %d\ncmd-pause-tube: %d\npause: %d\npause-time-left: %d\n",
			q.Text(t.Name), t.Urgent, t.Ready, t.Reserved, t.Delayed, t.Buried, t.Total, t.Using, t.Watching,
			t.Waiting, t.Deletes, t.Pauses, t.Pause, t.PauseLeft)
	})
}
