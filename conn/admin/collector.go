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
	g.value("beanfield_ready", "1 if clients can work, as /readyz says.", truth(g.src.Ready()))
	for i := range g.found.shards {
		g.shard(i)
	}
	g.limits()
	g.service()
	for i, l := range g.src.Loops() {
		g.figures(&l, loopFigures, "loop", strconv.Itoa(i))
	}
	for front, n := range g.src.Connections() {
		g.value("beanfield_connections", "Connections that are open.", float64(n), "face", front)
	}
	for front, counts := range g.src.Refusals() {
		for reason, n := range counts {
			g.value("beanfield_refusals_total", "Commands and requests that were not carried out, by the answer.",
				float64(n), "face", front, "reason", reason)
		}
	}
	for front, counts := range g.src.Denied() {
		for command, n := range counts {
			g.value("beanfield_denied_total", "Commands and requests that the rules of [[access]] have refused; auth: "+
				"wrong tokens.", float64(n), "face", front, "command", command)
		}
	}
	for reason, n := range g.src.Reasons() {
		g.value("beanfield_refused_commands_total", "Commands that were refused because of what the client sent or "+
			"may do, by reason; beanfield refused lists the latest.", float64(n), "reason", reason)
	}
	g.value("beanfield_slow_commands_total",
		"Commands that took longer than log.slow; beanfield slow lists the latest.", float64(g.src.Slow()))
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
		g.figures(&s, scheduleFigures, "schedule", s.Name, "tube", s.Tube)
		if !s.Next.IsZero() {
			g.value("beanfield_schedule_next_tick_seconds",
				"When the next tick of a schedule is, in seconds since 1970.", float64(s.Next.Unix()), "schedule", s.Name,
				"tube", s.Tube)
		}
	}
}

// secured sends what is known of TLS.
func (g *gathering) secured() {
	for _, c := range g.src.Certificates() {
		g.value("beanfield_tls_certificate_expiry_seconds",
			"Time until the certificate, or one of its chain, expires; below 0 once it has expired.", time.Until(c.Ends).Seconds(), "face", c.FrontEnd, "file", c.File)
	}
	n := g.src.Handshakes()
	for outcome, count := range map[string]uint64{"made": n.Made, "failed": n.Failed, "dropped": n.Dropped} {
		g.value("beanfield_tls_handshakes_total", "TLS handshakes that are over. Those that are dropped had waited "+
			"for their clients longest when there were too many.", float64(count), "outcome", outcome)
	}
	g.value("beanfield_tls_half_handshakes", "TLS handshakes that are under way.",
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
		g.value(metricName("beanfield_", k.name), "As "+k.name+" in the reply of stats.", k.number())
	}
	if len(names) > 0 {
		desc := g.desc("beanfield_info", "Always 1; its labels are the texts in the reply of stats.", names)
		g.out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, 1, values...)
	}
}

// shard sends the figures of a shard and its log.
func (g *gathering) shard(i int) {
	f, n := &g.found.shards[i], strconv.Itoa(i)
	g.value("beanfield_shard_up", "1 if the shard has answered the scrape in time.", truth(g.found.up[i]), "shard", n)
	if !g.found.up[i] {
		return
	}
	g.value("beanfield_shard_busy_seconds_total", "Time in turns of the shard, from one turn in 13.", float64(f.Busy)/1e9,
		"shard", n)
	g.figures(f, shardFigures, "shard", n)
	if g.found.opts.Durable {
		g.figures(f, logFigures, "shard", n)
	}
}

// limits sends how near the server is to its limits, of which there may be none.
func (g *gathering) limits() {
	q := g.src.Shards.Quota()
	used := q.Used()
	for b, most := range q.Most() {
		name := policy.Bound(b).String()
		if most > 0 {
			g.value("beanfield_limit", "How much of this there may be in the whole server; jobs, or bytes.", float64(most), "of", name)
			g.value("beanfield_limit_used", "How much of it there is.", float64(used[b]), "of",
				name)
		}
		if n := q.Refused(policy.Bound(b)); most > 0 || n > 0 {
			g.value("beanfield_limit_refusals_total", "Puts that were refused because of it.",
				float64(n), "of", name)
		}
	}
}

// service sends the figures of the queue service, and those of policies.
func (g *gathering) service() {
	var sum queue.Figures
	for i := range g.found.shards {
		f := &g.found.shards[i]
		sum.Pushed, sum.Rebalanced, sum.Dead = sum.Pushed+f.Pushed, sum.Rebalanced+f.Rebalanced, sum.Dead+f.Dead
		sum.Counters.Add(&f.Counters)
	}
	if g.found.whole {
		for d, n := range sum.Counters {
			g.value("beanfield_policy_actions_total", policyHelp, float64(n), "action", policy.Action(d).String())
		}
		g.figures(&sum, pushFigures)
	}
	g.figures(&g.found.tubes, serviceFigures)
}

const policyHelp = "What policies have done: puts that were refused, jobs that were dropped for a put, expired or " +
	"delayed by retry; " +
	"dead letters that were buried, deleted or moved; times when rate or max_reserved held jobs back."
