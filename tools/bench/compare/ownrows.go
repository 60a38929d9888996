package compare

import "beanfield/tools/bench/load"

// pushSet are the rows of the queue service. No peer has one, so beanfield is compared
// with its own rows of the beanstalk protocol.
const pushSet = "queue"

const queueFlags = "-queue 127.0.0.1:{queue}"

// fourProducers put for 16 consumers, 128 jobs in a write. Up to 512 jobs are unanswered, which
// keeps the server as busy as the 800 cycles of the row that it is compared with.
func fourProducers(ld *load.Load) {
	ld.Kind, ld.Producers, ld.Connections, ld.Depth = load.KindPush, 4, 20, 128
}

func windows(ld *load.Load) {
	fourProducers(ld)
	ld.Window, ld.Commit = 100, 50
}

var pushRows = []row{
	{
		name: "push", set: pushSet, title: "pushed to 16 consumers with auto-commit, against 16 cycles pipelined",
		flags: queueFlags, load: base(fourProducers), own: ownLoad(sixteenCycles),
		goals: []goal{atMost(metricJobCPU, 1.2)},
	},
	{
		name: "push-window", set: pushSet, title: "pushed to 16 consumers with windows of 100, which commit 50 at a " +
			"time, against 16 cycles pipelined",
		flags: queueFlags, load: base(windows), own: ownLoad(sixteenCycles),
		goals: []goal{atMost(metricJobCPU, 1.6)},
	},
	{
		name: "push-one", set: pushSet, title: "one job pushed to an idle consumer, against a blocked reserve",
		flags: queueFlags, load: base(func(ld *load.Load) { ld.Kind = load.KindPushOne }),
		own:   ownLoad(func(ld *load.Load) { ld.Kind = load.KindWakeOne }),
		goals: []goal{atMost(metricP50, 1.5)},
	},
	{
		name: "push-always", set: pushSet, title: "pushed to 16 consumers with auto-commit, fsync before each reply",
		flags: queueFlags, class: classAlways, alone: true, load: base(fourProducers),
		goals: []goal{numberAtLeast(metricThroughput, 100_000)},
	},
	{
		name: "push-always-window", set: pushSet, title: "pushed to 16 consumers with windows of 100, fsync before " +
			"each reply",
		flags: queueFlags, class: classAlways, alone: true, load: base(windows),
		goals: []goal{numberAtLeast(metricThroughput, 100_000)},
	},
	{
		name: "consumers", set: pushSet, title: "memory per idle consumer, 10,000 consumers", rounds: 1,
		flags: queueFlags, alone: true,
		load:  base(func(ld *load.Load) { ld.Kind, ld.Connections = load.KindConsumers, 10_000 }),
		goals: []goal{number(metricBytes, 16<<10)},
	},
	{
		name: "gets", set: pushSet, title: "memory per waiting get, 10,000 gets", rounds: 1,
		flags: queueFlags, alone: true,
		load:  base(func(ld *load.Load) { ld.Kind, ld.Connections = load.KindGets, 10_000 }),
		goals: []goal{number(metricBytes, 32<<10)},
	},
}

// tlsSet are the rows over TLS 1.3. beanstalkd has none, so beanfield is compared with its
// own plain connections, to the same process. What TLS costs the generator does not count.
const tlsSet = "tls"

const tlsFlags = "-config {config}"

const tlsConfig = `
[[listen]]
address = "127.0.0.1:{port}"
[[listen]]
address = "127.0.0.1:{tls}"
cert = "{cert}"
key = "{key}"
`

func overTLS(change func(*load.Load)) load.Load {
	ld := base(change)
	ld.TLS = true
	return ld
}

var tlsRows = []row{
	{
		name: "tls", set: tlsSet, rounds: 2, title: "50 connections over TLS, against its own plain ones",
		flags: tlsFlags, config: tlsConfig, load: overTLS(nil), own: ownLoad(nil),
		goals: []goal{atMost(metricCPU, 1.6)},
	},
	{
		name: "tls-pipelined", set: tlsSet, rounds: 1,
		title: "16 cycles pipelined over TLS, against its own plain ones",
		flags: tlsFlags, config: tlsConfig, load: overTLS(sixteenCycles), own: ownLoad(sixteenCycles),
		goals: []goal{atMost(metricCPU, 2.5)},
	},
	{
		name: "tls-idle", set: tlsSet, title: "memory per idle connection with TLS, 10,000 connections", rounds: 1,
		alone: true,
		flags: tlsFlags, config: tlsConfig,
		load:  overTLS(func(ld *load.Load) { ld.Kind, ld.Connections = load.KindIdle, 10_000 }),
		goals: []goal{number(metricBytes, 16<<10)},
	},
}
