package beanstalk

import (
	"strconv"

	"beanfield/shard/queue"
)

// The replies of stats-job and stats-tube: complete, in this order, and with
// no key more, because clients compare them as a whole.

func appendKey(out []byte, key string) []byte {
	out = append(out, key...)
	return append(out, ':', ' ')
}

func appendUint(out []byte, key string, n uint64) []byte {
	out = strconv.AppendUint(appendKey(out, key), n, 10)
	return append(out, '\n')
}

func appendInt(out []byte, key string, n int64) []byte {
	out = strconv.AppendInt(appendKey(out, key), n, 10)
	return append(out, '\n')
}

// appendRaw writes a value that is never quoted.
func appendRaw(out []byte, key, value string) []byte {
	out = append(appendKey(out, key), value...)
	return append(out, '\n')
}

// appendString writes a string as the server is set to.
func appendString(out []byte, key, value string, q Quoting) []byte {
	return append(q.append(appendKey(out, key), value), '\n')
}

func appendJobStats(out []byte, j *queue.JobInfo, q Quoting) []byte {
	return appendYAML(out, func(out []byte) []byte {
		out = appendUint(out, "id", j.ID)
		out = appendString(out, "tube", j.Tube, q)
		out = appendRaw(out, "state", j.State.String())
		out = appendUint(out, "pri", uint64(j.Pri))
		out = appendInt(out, "age", j.Age)
		out = appendUint(out, "delay", uint64(j.Delay))
		out = appendUint(out, "ttr", uint64(j.TTR))
		out = appendInt(out, "time-left", j.TimeLeft)
		out = appendUint(out, "file", 0)
		out = appendUint(out, "reserves", uint64(j.Reserves))
		out = appendUint(out, "timeouts", uint64(j.Timeouts))
		out = appendUint(out, "releases", uint64(j.Releases))
		out = appendUint(out, "buries", uint64(j.Buries))
		return appendUint(out, "kicks", uint64(j.Kicks))
	})
}

func appendTubeStats(out []byte, t *queue.TubeInfo, q Quoting) []byte {
	return appendYAML(out, func(out []byte) []byte {
		out = appendString(out, "name", t.Name, q)
		out = appendInt(out, "current-jobs-urgent", int64(t.Urgent))
		out = appendInt(out, "current-jobs-ready", int64(t.Ready))
		out = appendInt(out, "current-jobs-reserved", int64(t.Reserved))
		out = appendInt(out, "current-jobs-delayed", int64(t.Delayed))
		out = appendInt(out, "current-jobs-buried", int64(t.Buried))
		out = appendUint(out, "total-jobs", t.Total)
		out = appendInt(out, "current-using", int64(t.Using))
		out = appendInt(out, "current-watching", int64(t.Watching))
		out = appendInt(out, "current-waiting", int64(t.Waiting))
		out = appendUint(out, "cmd-delete", t.Deletes)
		out = appendUint(out, "cmd-pause-tube", t.Pauses)
		out = appendInt(out, "pause", t.Pause)
		return appendInt(out, "pause-time-left", t.PauseLeft)
	})
}
