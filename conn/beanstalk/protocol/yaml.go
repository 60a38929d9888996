package protocol

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

func AppendUint(out []byte, key string, n uint64) []byte {
	out = strconv.AppendUint(appendKey(out, key), n, 10)
	return append(out, '\n')
}

func AppendInt(out []byte, key string, n int64) []byte {
	out = strconv.AppendInt(appendKey(out, key), n, 10)
	return append(out, '\n')
}

// AppendItem writes an item of a list, which is never quoted.
func AppendItem(out []byte, item string) []byte {
	return append(append(append(out, '-', ' '), item...), '\n')
}

// AppendRaw writes a value that is never quoted.
func AppendRaw(out []byte, key, value string) []byte {
	out = append(appendKey(out, key), value...)
	return append(out, '\n')
}

// AppendString writes a string as the server is set to.
func AppendString(out []byte, key, value string, q Quoting) []byte {
	return append(q.append(appendKey(out, key), value), '\n')
}

func AppendJobStats(out []byte, j *queue.JobInfo, q Quoting) []byte {
	return AppendYAML(out, func(out []byte) []byte {
		out = AppendUint(out, "id", j.ID)
		out = AppendString(out, "tube", j.Tube, q)
		out = AppendRaw(out, "state", j.State.String())
		out = AppendUint(out, "pri", uint64(j.Pri))
		out = AppendInt(out, "age", j.Age)
		out = AppendUint(out, "delay", uint64(j.Delay))
		out = AppendUint(out, "ttr", uint64(j.TTR))
		out = AppendInt(out, "time-left", j.TimeLeft)
		out = AppendUint(out, "file", 0)
		out = AppendUint(out, "reserves", uint64(j.Reserves))
		out = AppendUint(out, "timeouts", uint64(j.Timeouts))
		out = AppendUint(out, "releases", uint64(j.Releases))
		out = AppendUint(out, "buries", uint64(j.Buries))
		return AppendUint(out, "kicks", uint64(j.Kicks))
	})
}

func AppendTubeStats(out []byte, t *queue.TubeInfo, q Quoting) []byte {
	return AppendYAML(out, func(out []byte) []byte {
		out = AppendString(out, "name", t.Name, q)
		out = AppendInt(out, "current-jobs-urgent", int64(t.Urgent))
		out = AppendInt(out, "current-jobs-ready", int64(t.Ready))
		out = AppendInt(out, "current-jobs-reserved", int64(t.Reserved))
		out = AppendInt(out, "current-jobs-delayed", int64(t.Delayed))
		out = AppendInt(out, "current-jobs-buried", int64(t.Buried))
		out = AppendUint(out, "total-jobs", t.Total)
		out = AppendInt(out, "current-using", int64(t.Using))
		out = AppendInt(out, "current-watching", int64(t.Watching))
		out = AppendInt(out, "current-waiting", int64(t.Waiting))
		out = AppendUint(out, "cmd-delete", t.Deletes)
		out = AppendUint(out, "cmd-pause-tube", t.Pauses)
		out = AppendInt(out, "pause", t.Pause)
		return AppendInt(out, "pause-time-left", t.PauseLeft)
	})
}
