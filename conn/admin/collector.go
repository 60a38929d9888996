package admin

import (
	"strconv"
	"strings"
	"time"

	"beanfield/router"
	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"

	"github.com/prometheus/client_golang/prometheus"
)

// gathering is one scrape: what has been found, and where it goes.
type gathering struct {
	*Metrics
	out   chan<- prometheus.Metric
	found *findings
}

// findings are what the shards have said for one scrape.
type findings struct {
	opts   *MetricsOptions
	shards []router.Figures
	up     []bool // which of them have answered
	whole  bool   // all have
	sums   queue.Sums
	keys   []key // of stats; none unless whole
	tubes  ranking
}

// Collect implements prometheus.Collector, for all but the tubes.
func (g *gathering) Collect(out chan<- prometheus.Metric) {
	g.out = out
	g.stats()
	g.value("beanfield_ready", "1 if clients can work, as /readyz says.", prometheus.GaugeValue, truth(g.src.Ready()))
	for i := range g.found.shards {
		g.shard(i)
	}
	g.limits()
	g.service()
	for i, l := range g.src.Loops() {
		n := strconv.Itoa(i)
		g.value("beanfield_loop_rounds_total", "Rounds of an event loop.", prometheus.CounterValue, float64(l.Rounds),
			"loop", n)
		g.value("beanfield_loop_events_total", "Events of sockets that a loop has served.", prometheus.CounterValue,
			float64(l.Events), "loop", n)
		g.value("beanfield_loop_connections", "Connections of a loop.", prometheus.GaugeValue, float64(l.Connections),
			"loop", n)
	}
	for front, n := range g.src.Connections() {
		g.value("beanfield_connections", "Connections that are open.", prometheus.GaugeValue, float64(n), "face", front)
	}
	for _, r := range g.src.Refusals() {
		g.value("beanfield_refusals_total", "Commands and requests that were not carried out, by the answer.",
			prometheus.CounterValue, float64(r.Count), "face", r.FrontEnd, "reason", r.Reason)
	}
	for _, d := range g.src.Denied() {
		g.value("beanfield_denied_total", "Commands and requests that the rules of [[access]] have refused; auth: "+
			"wrong tokens.",
			prometheus.CounterValue, float64(d.Count), "face", d.FrontEnd, "command", d.Command)
	}
	for reason, n := range g.src.Reasons() {
		g.value("beanfield_refused_commands_total", "Commands that were refused because of what the client sent or "+
			"may do, by reason; beanfield refused lists the latest.",
			prometheus.CounterValue, float64(n), "reason", reason)
	}
	g.value("beanfield_slow_commands_total",
		"Commands that took longer than log.slow; beanfield slow lists the latest.",
		prometheus.CounterValue, float64(g.src.Slow()))
	for command, r := range g.src.Latency() {
		if r.Total() == 0 {
			continue
		}
		g.spread("beanfield_command_seconds", "Time from when a command is handed to its shard until it is "+
			"answered; of one run of commands in 61.",
			seconds, r, "command", command)
	}
	g.scheduled()
	g.secured()
	g.cluster()
}

// scheduled sends how schedules are getting on.
func (g *gathering) scheduled() {
	if g.src.Schedules == nil {
		return
	}
	for _, s := range g.src.Schedules() {
		count := func(name, help string, n uint64) {
			g.value(name, help, prometheus.CounterValue, float64(n), "schedule", s.Name, "tube", s.Tube)
		}
		count("beanfield_schedule_jobs_total", "Jobs that a schedule has put.", s.Puts)
		count("beanfield_schedule_missed_total", "Ticks of a schedule that were missed and given up.", s.Lost)
		count("beanfield_schedule_refused_total", "Ticks of a schedule whose put was refused at first.", s.Refused)
		if !s.Next.IsZero() {
			g.value("beanfield_schedule_next_tick_seconds",
				"When the next tick of a schedule is, in seconds since 1970.",
				prometheus.GaugeValue, float64(s.Next.Unix()), "schedule", s.Name, "tube", s.Tube)
		}
	}
}

// secured sends what is known of TLS.
func (g *gathering) secured() {
	for _, c := range g.src.Certificates() {
		g.value("beanfield_tls_certificate_expiry_seconds",
			"Time until the certificate, or one of its chain, expires; below 0 once it has expired.",
			prometheus.GaugeValue, time.Until(c.Ends).Seconds(), "face", c.FrontEnd, "file", c.File)
	}
	n := g.src.Handshakes()
	for outcome, count := range map[string]uint64{"made": n.Made, "failed": n.Failed, "dropped": n.Dropped} {
		g.value("beanfield_tls_handshakes_total", "TLS handshakes that are over. Those that are dropped had waited "+
			"for their clients longest when there were too many.",
			prometheus.CounterValue, float64(count), "outcome", outcome)
	}
	g.value("beanfield_tls_half_handshakes", "TLS handshakes that are under way.", prometheus.GaugeValue,
		float64(n.Now))
}

// Describe implements prometheus.Collector. It describes nothing in advance: which metrics
// there are depends on the configuration.
func (g *gathering) Describe(chan<- *prometheus.Desc) {}

// stats sends each key of stats, unless a shard has not answered: then the sums would be
// wrong.
func (g *gathering) stats() {
	var names, values []string
	for _, k := range g.found.keys {
		if texts[k.name] {
			names, values = append(names, k.name), append(values, strings.ToValidUTF8(k.value, "?"))
			continue
		}
		kind := prometheus.GaugeValue
		if counts(k.name) {
			kind = prometheus.CounterValue
		}
		g.value(metricName("beanfield_", k.name), "As "+k.name+" in the reply of stats.", kind, k.number())
	}
	if len(names) > 0 {
		desc := g.desc("beanfield_info", "Always 1; its labels are the texts in the reply of stats.", names)
		g.out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, 1, values...)
	}
}

// shard sends the figures of a shard and its log.
func (g *gathering) shard(i int) {
	f, n := &g.found.shards[i], strconv.Itoa(i)
	gauge := func(name, help string, v float64) { g.value(name, help, prometheus.GaugeValue, v, "shard", n) }
	count := func(name, help string, v float64) { g.value(name, help, prometheus.CounterValue, v, "shard", n) }
	gauge("beanfield_shard_up", "1 if the shard has answered the scrape in time.", truth(g.found.up[i]))
	if !g.found.up[i] {
		return
	}
	count("beanfield_shard_busy_seconds_total", "Time in turns of the shard, from one turn in 13.", float64(f.Busy)/1e9)
	count("beanfield_shard_turns_total", "Turns of the shard.", float64(f.Turns))
	gauge("beanfield_shard_mailbox_batches", "Batches of operations that wait for the shard.", float64(f.Mailbox))
	g.spread("beanfield_shard_turn_operations", "Operations in a turn; of one turn in 13.", numbers, &f.Sizes, "shard",
		n)
	gauge("beanfield_shard_jobs", "Jobs of the shard.", float64(f.Jobs))
	gauge("beanfield_shard_tubes", "Tubes of the shard.", float64(f.Tubes))
	gauge("beanfield_shard_memory_bytes", "Bytes of job bodies in memory.", float64(f.Inside))
	gauge("beanfield_shard_disk_only_bytes", "Bytes of job bodies beyond memory: they are on disk only.",
		float64(f.Outside))
	gauge("beanfield_shard_log_failed", "1 if the log of the shard has failed.", truth(f.Log.Err != nil))
	gauge("beanfield_shard_log_full", "1 if the disk has no room for new jobs.", truth(f.Log.Full))
	if !g.found.opts.Durable {
		return
	}
	count("beanfield_shard_log_records_total", "Records written to the log.", float64(f.Log.Written))
	count("beanfield_shard_log_syncs_total", "Syncs of the log.", float64(f.Log.Syncs))
	gauge("beanfield_shard_log_live_bytes", "Bytes of the jobs that the log holds.", float64(f.Log.Live))
	gauge("beanfield_shard_log_disk_bytes", "Bytes of the log and its tables on disk.", float64(f.Log.Bytes))
	gauge("beanfield_shard_log_garbage_bytes", "Bytes that have died since the last full compaction.",
		float64(f.LogMore.Garbage))
	gauge("beanfield_shard_log_filled_ratio", "How full the log is with what the tables do not have yet: 1 is full.",
		f.LogMore.Filled)
	gauge("beanfield_shard_log_debt_bytes", "Bytes that are still to be compacted.", float64(f.LogMore.Debt))
	count("beanfield_shard_log_stalls_total", "Times when writes waited for compactions, or for room in the log.",
		float64(f.LogMore.Stalls))
	count("beanfield_shard_log_stall_seconds_total", "Time in which writes waited for compactions, or for room in "+
		"the log.", f.LogMore.Stalled.Seconds())
	g.spread("beanfield_shard_log_commit_seconds", "Time to commit a group of turns, with its sync if each is synced.",
		seconds, &f.LogMore.Commits, "shard", n)
	g.spread("beanfield_shard_log_group_turns", "Turns in a group that is committed at once.", numbers,
		&f.LogMore.Groups, "shard", n)
}

// limits sends how near the server is to its limits, of which there may be none.
func (g *gathering) limits() {
	q := g.src.Shards.Quota()
	used := q.Used()
	for b, most := range q.Most() {
		name := policy.Bound(b).String()
		if most > 0 {
			g.value("beanfield_limit", "How much of this there may be in the whole server; jobs, or bytes.",
				prometheus.GaugeValue, float64(most), "of", name)
			g.value("beanfield_limit_used", "How much of it there is.", prometheus.GaugeValue, float64(used[b]), "of",
				name)
		}
		if n := q.Refused(policy.Bound(b)); most > 0 || n > 0 {
			g.value("beanfield_limit_refusals_total", "Puts that were refused because of it.", prometheus.CounterValue,
				float64(n), "of", name)
		}
	}
}

// service sends the figures of the queue service, and those of policies.
func (g *gathering) service() {
	var pushed, rebalanced, dead uint64
	var counters policy.Counters
	for i := range g.found.shards {
		f := &g.found.shards[i]
		pushed, rebalanced, dead = pushed+f.Pushed, rebalanced+f.Rebalanced, dead+f.Dead
		counters.Add(&f.Counters)
	}
	t := &g.found.tubes
	if g.found.whole {
		for d, n := range counters {
			g.value("beanfield_policy_actions_total", policyHelp, prometheus.CounterValue, float64(n), "action",
				policy.Action(d).String())
		}
		g.value("beanfield_queue_pushes_total", "Items sent to consumers.", prometheus.CounterValue, float64(pushed))
		g.value("beanfield_queue_rebalances_total",
			"Items given to other consumers because one did not deal with them.", prometheus.CounterValue,
			float64(rebalanced))
		g.value("beanfield_queue_dead_letters_total", "Items that were sent too often.", prometheus.CounterValue,
			float64(dead))
	}
	g.value("beanfield_queue_queues", "Tubes that the queue service uses.", prometheus.GaugeValue, float64(t.queues))
	g.value("beanfield_queue_groups", "Groups of consumers.", prometheus.GaugeValue, float64(t.groups))
	g.value("beanfield_queue_consumers", "Consumers, those without a connection included.", prometheus.GaugeValue,
		float64(t.consumers))
	g.value("beanfield_queue_pending_items", "Items that consumers have and have not committed.", prometheus.GaugeValue,
		float64(t.pending))
}

const policyHelp = "What policies have done: puts that were refused, jobs that were dropped for a put, expired or " +
	"delayed by retry; " +
	"dead letters that were buried, deleted or moved; times when rate or max_reserved held jobs back."

// value sends one number. The labels are names and values in turn.
func (g *gathering) value(name, help string, kind prometheus.ValueType, v float64, labels ...string) {
	names, values := pairs(labels)
	g.out <- prometheus.MustNewConstMetric(g.desc(name, help, names), kind, v, values...)
}
