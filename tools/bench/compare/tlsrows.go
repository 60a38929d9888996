package compare

import "beanfield/tools/bench/load"

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
		name: "tls-pipelined", set: tlsSet, rounds: 1, title: "16 cycles pipelined over TLS, against its own plain ones",
		flags: tlsFlags, config: tlsConfig, load: overTLS(sixteenCycles), own: ownLoad(sixteenCycles),
		goals: []goal{atMost(metricCPU, 2.5)},
	},
	{
		name: "tls-idle", set: tlsSet, title: "memory per idle connection with TLS, 10,000 connections", rounds: 1, alone: true,
		flags: tlsFlags, config: tlsConfig,
		load:  overTLS(func(ld *load.Load) { ld.Kind, ld.Connections = load.KindIdle, 10_000 }),
		goals: []goal{number(metricBytes, 16<<10)},
	},
}
