//go:build linux

package compare

import (
	"cmp"
	_ "embed"
	"math"
	"reflect"
	"strings"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/peers"
)

// A metric is one number of a result that servers are compared by, by its name in report.toml.
type metric string

// Those that are more than a column of a table.
const (
	throughput  metric = "throughput"
	cpu         metric = "server CPU per operation"
	p99         metric = "p99"
	bytesEach   metric = "bytes each"
	start       metric = "ms until the first reply"
	recovery    metric = "seconds until it serves all jobs again"
	recoveredMB metric = "highest MB after the restart"
	stall       metric = "longest stall of a neighbour, µs"
	stallP999   metric = "p99.9 of a neighbour, µs"
	bareStall   metric = "longest wait at a bare loop"
	written     metric = "bytes written for each job"
	onDisk      metric = "MB on the disk at the end"
	peakMB      metric = "highest MB"
)

// A definition says what a metric is; report.toml says what each field means.
type definition struct {
	Name        metric
	Field, Unit string
	Times       float64
	Job, Steady bool
}

//go:embed report.toml
var reportText string

// layout is what a report shows.
var layout = decoded[struct {
	Metric []definition
	Table  []table
}]("report.toml", reportText)

var metrics = func() map[metric]definition {
	all := map[metric]definition{}
	for _, m := range layout.Metric {
		all[m.Name] = m
	}
	return all
}()

// of is not a number where there was no restart, or no stall.
func (m metric) of(r *load.Result) float64 {
	is, at := metrics[m], reflect.ValueOf(r).Elem()
	for name := range strings.SplitSeq(is.Field, ".") {
		if at = at.FieldByName(name); at.Kind() == reflect.Pointer {
			if at.IsNil() {
				return math.NaN()
			}
			at = at.Elem()
		}
	}
	v := at.Convert(reflect.TypeFor[float64]()).Float() * cmp.Or(is.Times, 1)
	if is.Job {
		v *= float64(r.Load.JobOperations())
	}
	return v
}

// show is a number with its unit.
func (m metric) show(v float64) string { return strings.TrimSpace(short(v) + " " + metrics[m].Unit) }

func (m metric) all(rounds []*load.Result) (v []float64) {
	for _, r := range rounds {
		v = append(v, m.of(r))
	}
	return v
}

// shown are the metrics of a row that say the most.
func (r *row) shown() []metric {
	switch {
	case r.Load.Whole && r.Load.Kind == load.Put:
		return []metric{throughput, cpu, written, onDisk, peakMB}
	case r.Load.Whole:
		return []metric{written} // these rows are there for it
	case r.Load.Waits():
		return []metric{bytesEach}
	case r.Load.Kind == peers.Delayed:
		return []metric{p99}
	case r.restarts() && r.Load.Backlog == 0:
		return []metric{start}
	case r.restarts():
		return []metric{recovery, recoveredMB, onDisk}
	case r.stalls():
		return []metric{stall, stallP999}
	case r.Half:
		return []metric{cpu, p99}
	}
	return []metric{throughput, cpu}
}

// ratios divides round by round: the two of a round were measured next to each other, so what disturbs the machine for
// minutes cancels out.
func (m metric) ratios(a, b []*load.Result) (q []float64) {
	for i := range min(len(a), len(b)) {
		over := m.of(b[i])
		if over == 0 {
			over = math.NaN()
		}
		q = append(q, m.of(a[i])/over)
	}
	return q
}
