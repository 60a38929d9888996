package admin

import (
	"reflect"
	"strings"
	"time"

	"beanfield/storage/tally"

	"github.com/prometheus/client_golang/prometheus"
)

// figure is a metric whose value is a field of what is measured, by the field's name; or by a path of names.
type figure struct{ name, help, field string }

var loopFigures = []figure{
	{"beanfield_loop_rounds_total", "Rounds of an event loop.", "Rounds"},
	{"beanfield_loop_events_total", "Events of sockets that a loop has served.", "Events"},
	{"beanfield_loop_connections", "Connections of a loop.", "Connections"},
}

var scheduleFigures = []figure{
	{"beanfield_schedule_jobs_total", "Jobs that a schedule has put.", "Puts"},
	{"beanfield_schedule_missed_total", "Ticks of a schedule that were missed and given up.", "Lost"},
	{"beanfield_schedule_refused_total", "Ticks of a schedule whose put was refused at first.", "Refused"},
}

var shardFigures = []figure{
	{"beanfield_shard_turns_total", "Turns of the shard.", "Turns"},
	{"beanfield_shard_mailbox_batches", "Batches of operations that wait for the shard.", "Mailbox"},
	{"beanfield_shard_turn_operations", "Operations in a turn; of one turn in 13.", "Sizes"},
	{"beanfield_shard_jobs", "Jobs of the shard.", "Jobs"},
	{"beanfield_shard_tubes", "Tubes of the shard.", "Tubes"},
	{"beanfield_shard_memory_bytes", "Bytes of job bodies in memory.", "Inside"},
	{"beanfield_shard_disk_only_bytes", "Bytes of job bodies beyond memory: they are on disk only.", "Outside"},
	{"beanfield_shard_log_failed", "1 if the log of the shard has failed.", "Log.Err"},
	{"beanfield_shard_log_full", "1 if the disk has no room for new jobs.", "Log.Full"},
}

// logFigures are those of a log on a disk.
var logFigures = []figure{
	{"beanfield_shard_log_records_total", "Records written to the log.", "Log.Written"},
	{"beanfield_shard_log_syncs_total", "Syncs of the log.", "Log.Syncs"},
	{"beanfield_shard_log_live_bytes", "Bytes of the jobs that the log holds.", "Log.Live"},
	{"beanfield_shard_log_disk_bytes", "Bytes of the log and its tables on disk.", "Log.Bytes"},
	{"beanfield_shard_log_garbage_bytes", "Bytes that have died since the last full compaction.", "LogMore.Garbage"},
	{"beanfield_shard_log_filled_ratio", "How full the log is with what the tables do not have yet: 1 is full.",
		"LogMore.Filled"},
	{"beanfield_shard_log_debt_bytes", "Bytes that are still to be compacted.", "LogMore.Debt"},
	{"beanfield_shard_log_stalls_total", "Times when writes waited for compactions, or for room in the log.",
		"LogMore.Stalls"},
	{"beanfield_shard_log_stall_seconds_total", "Time in which writes waited for compactions, or for room in the log.",
		"LogMore.Stalled"},
	{"beanfield_shard_log_commit_seconds", "Time to commit a group of turns, with its sync if each is synced.",
		"LogMore.Commits"},
	{"beanfield_shard_log_group_turns", "Turns in a group that is committed at once.", "LogMore.Groups"},
}

// pushFigures are sums over the shards, and serviceFigures over the tubes.
var (
	pushFigures = []figure{
		{"beanfield_queue_pushes_total", "Items sent to consumers.", "Pushed"},
		{"beanfield_queue_rebalances_total", "Items given to other consumers because one did not deal with them.",
			"Rebalanced"},
		{"beanfield_queue_dead_letters_total", "Items that were sent too often.", "Dead"},
	}
	serviceFigures = []figure{
		{"beanfield_queue_queues", "Tubes that the queue service uses.", "queues"},
		{"beanfield_queue_groups", "Groups of consumers.", "groups"},
		{"beanfield_queue_consumers", "Consumers, those without a connection included.", "consumers"},
		{"beanfield_queue_pending_items", "Items that consumers have and have not committed.", "pending"},
	}
)

// figures sends those that a list finds in what a pointer leads to.
func (g *gathering) figures(in any, list []figure, labels ...string) {
	for _, f := range list {
		at := reflect.ValueOf(in).Elem()
		for name := range strings.SplitSeq(f.field, ".") {
			at = at.FieldByName(name)
		}
		if at.Type() != reflect.TypeFor[tally.Reading]() {
			g.value(f.name, f.help, numberOf(at), labels...)
			continue
		}
		s := numbers
		if strings.HasSuffix(f.name, "_seconds") {
			s = seconds
		}
		g.spread(f.name, f.help, s, at.Addr().Interface().(*tally.Reading), labels...)
	}
}

// numberOf is a field's value; an error is 1 if there is one, and a time in seconds.
func numberOf(v reflect.Value) float64 {
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		return time.Duration(v.Int()).Seconds()
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	case v.CanFloat():
		return v.Float()
	}
	return truth(!v.IsZero())
}

// value sends one number. A name that ends with _total is that of a counter. The labels are names and values in turn.
func (g *gathering) value(name, help string, v float64, labels ...string) {
	kind := prometheus.GaugeValue
	if strings.HasSuffix(name, "_total") {
		kind = prometheus.CounterValue
	}
	names, values := pairs(labels)
	g.out <- prometheus.MustNewConstMetric(g.desc(name, help, names), kind, v, values...)
}
