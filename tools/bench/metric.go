package main

import "fmt"

// A metric is one number of a result that servers are compared by.
type metric string

const (
	metricThroughput metric = "throughput"
	metricCPU        metric = "server CPU per operation"
	metricP99        metric = "p99"
	metricP999       metric = "p99.9"
	metricBytes      metric = "bytes each"
)

func (m metric) of(r *result) float64 {
	switch m {
	case metricThroughput:
		return r.OpsPerSec
	case metricCPU:
		return r.Server.CPUPerOp
	case metricP99:
		return r.Latency["all"].P99
	case metricP999:
		return r.Latency["all"].P999
	default:
		return r.Server.BytesEach
	}
}

func (m metric) all(rounds []*result) []float64 {
	var v []float64
	for _, r := range rounds {
		v = append(v, m.of(r))
	}
	return v
}

// A goal is what beanfield must reach in a row.
type goal struct {
	metric   metric
	bound    float64
	atLeast  bool // else at most
	absolute bool // the number itself; else a ratio
}

func (g goal) met(v float64) bool {
	if g.atLeast {
		return v >= g.bound
	}
	return v <= g.bound
}

func (g goal) String() string {
	word, unit := "at most", " x"
	if g.atLeast {
		word = "at least"
	}
	if g.absolute {
		unit = ""
	}
	return fmt.Sprintf("%s %s%s", word, short(g.bound), unit)
}
