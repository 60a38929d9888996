package admin

import (
	"cmp"
	"container/heap"
	"reflect"
	"slices"

	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
	"beanfield/storage/pace"

	dto "github.com/prometheus/client_model/go"
)

// ranking finds the busiest tubes of a census, and sums up the others: those in which
// the most jobs have been put since the start, or are now. So a tube that is shown stays
// shown, and its counters do not start again.
type ranking struct {
	most  int
	shown func(name string) bool
	tubes []queue.TubeFigures // the busiest so far; while there are most of them, a heap with the idlest first
	rest  queue.TubeFigures
	left  int // tubes in rest

	queues, groups, consumers int // of all
	pending                   uint64
}

// add takes in a part of the census, and then lets others have the processor: all parts
// together take tens of milliseconds.
func (r *ranking) add(list []queue.TubeFigures) {
	defer pace.StepBack()
	for i := range list {
		f := &list[i]
		if f.Queue {
			r.queues++
			r.groups += f.Groups
			r.consumers += f.Consumers
			r.pending += f.Pending
		}
		switch {
		case r.most == 0 || !r.shown(f.Name):
			r.leave(f)
		case len(r.tubes) < r.most:
			if r.tubes = append(r.tubes, *f); len(r.tubes) == r.most {
				heap.Init(r)
			}
		case busier(f, &r.tubes[0]) > 0:
			r.leave(&r.tubes[0])
			r.tubes[0] = *f
			heap.Fix(r, 0)
		default:
			r.leave(f)
		}
	}
}

// busier compares two tubes. Of equal ones the first by name is the busier.
func busier(a, b *queue.TubeFigures) int {
	weight := func(f *queue.TubeFigures) uint64 { return f.Total + uint64(f.Jobs()) }
	return cmp.Or(cmp.Compare(weight(a), weight(b)), cmp.Compare(b.Name, a.Name))
}

// leave adds a tube to the rest.
func (r *ranking) leave(f *queue.TubeFigures) {
	r.left++
	s := &r.rest
	s.Urgent += f.Urgent
	s.Ready += f.Ready
	s.Reserved += f.Reserved
	s.Delayed += f.Delayed
	s.Buried += f.Buried
	s.Total += f.Total
	s.Using += f.Using
	s.Watching += f.Watching
	s.Waiting += f.Waiting
	s.Deletes += f.Deletes
	s.Pauses += f.Pauses
}

// sort puts the tubes in the order of their names.
func (r *ranking) sort() {
	slices.SortFunc(r.tubes, func(a, b queue.TubeFigures) int { return cmp.Compare(a.Name, b.Name) })
}

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (r *ranking) Len() int           { return len(r.tubes) }
func (r *ranking) Less(i, j int) bool { return busier(&r.tubes[i], &r.tubes[j]) < 0 }
func (r *ranking) Swap(i, j int)      { r.tubes[i], r.tubes[j] = r.tubes[j], r.tubes[i] }
func (r *ranking) Push(any)           {}
func (r *ranking) Pop() any           { return nil }

// tubeKey is a key of stats-tube, and the field that has its value.
type tubeKey struct {
	name, field string
	rest        bool // it can be summed up
}

// tubeKeys are all but the name.
var tubeKeys = []tubeKey{
	{"current-jobs-urgent", "Urgent", true},
	{"current-jobs-ready", "Ready", true},
	{"current-jobs-reserved", "Reserved", true},
	{"current-jobs-delayed", "Delayed", true},
	{"current-jobs-buried", "Buried", true},
	{"total-jobs", "Total", true},
	{"current-using", "Using", true},
	{"current-watching", "Watching", true},
	{"current-waiting", "Waiting", true},
	{"cmd-delete", "Deletes", true},
	{"cmd-pause-tube", "Pauses", true},
	{"pause", "Pause", false},
	{"pause-time-left", "PauseLeft", false},
}

// of reads the value of each of a list of tubes.
func (k *tubeKey) of(list []queue.TubeFigures) func(i int) float64 {
	field, _ := reflect.TypeFor[queue.TubeFigures]().FieldByName(k.field)
	return func(i int) float64 { return numberOf(reflect.ValueOf(&list[i]).Elem().FieldByIndex(field.Index)) }
}

// tubeFamilies are the metrics of the tubes. They are made in few pieces of memory, and
// without package prometheus, which would take ten times as long.
func (r *ranking) tubeFamilies() (list []*dto.MetricFamily) {
	pairs := make([][]*dto.LabelPair, len(r.tubes))
	for i := range r.tubes {
		pairs[i] = labels([]string{"tube"}, []string{r.tubes[i].Name})
	}
	for _, k := range tubeKeys {
		pace.StepBack()
		kind := dto.MetricType_GAUGE
		if counts(k.name) {
			kind = dto.MetricType_COUNTER
		}
		list = append(list, family(metricName("beanfield_tube_", k.name), "As "+k.name+" in the reply of stats-tube.",
			kind, pairs, k.of(r.tubes)))
	}
	return append(append(append(list, r.serviceFamilies(pairs)...), r.policyFamily()), r.restFamilies()...)
}

// policyFamily says what policies have done in the tubes that they cover.
func (r *ranking) policyFamily() *dto.MetricFamily {
	var pairs [][]*dto.LabelPair
	var numbers []uint64
	for i := range r.tubes {
		if r.tubes[i].Counters == nil {
			continue
		}
		for d, n := range r.tubes[i].Counters {
			pairs = append(pairs, labels([]string{"action", "tube"}, []string{policy.Action(d).String(),
				r.tubes[i].Name}))
			numbers = append(numbers, n)
		}
	}
	return family("beanfield_tube_policy_actions_total", policyHelp, dto.MetricType_COUNTER, pairs,
		func(i int) float64 { return float64(numbers[i]) })
}

// serviceFamilies are what the queue service adds to tubes.
func (r *ranking) serviceFamilies(pairs [][]*dto.LabelPair) []*dto.MetricFamily {
	var used [][]*dto.LabelPair
	var of []*queue.TubeFigures
	for i := range r.tubes {
		if r.tubes[i].Queue {
			used, of = append(used, pairs[i]), append(of, &r.tubes[i])
		}
	}
	gauge := dto.MetricType_GAUGE
	return []*dto.MetricFamily{
		family("beanfield_tube_consumers", "Consumers of the queue service.", gauge, used, func(i int) float64 {
			return float64(of[i].Consumers)
		}),
		family("beanfield_tube_pending_items", "Items that consumers have and have not committed.", gauge, used,
			func(i int) float64 { return float64(of[i].Pending) }),
	}
}

// restFamilies sum up the tubes that have no metrics of their own. They are gauges, even
// where a single tube has a counter: when a tube ends, or gets metrics of its own, the sum
// falls.
func (r *ranking) restFamilies() (list []*dto.MetricFamily) {
	one, gauge := make([][]*dto.LabelPair, 1), dto.MetricType_GAUGE
	list = append(list, family("beanfield_other_tubes", "Tubes without metrics of their own.", gauge, one,
		func(int) float64 { return float64(r.left) }))
	for _, k := range tubeKeys {
		if k.rest {
			list = append(list, family("beanfield_other_tubes_"+underscored(k.name), "The sum of "+k.name+
				" over the tubes without metrics of their own.",
				gauge, one, k.of([]queue.TubeFigures{r.rest})))
		}
	}
	return list
}

// family makes a metric family with one number for each set of labels.
func family(name, help string, kind dto.MetricType, labels [][]*dto.LabelPair,
	of func(i int) float64) *dto.MetricFamily {
	type one struct {
		metric  dto.Metric
		gauge   dto.Gauge
		counter dto.Counter
		value   float64
	}
	all := make([]one, len(labels))
	f := &dto.MetricFamily{Name: new(name), Help: new(help), Type: new(kind), Metric: make([]*dto.Metric, len(labels))}
	for i := range all {
		o := &all[i]
		o.value, o.metric.Label = of(i), labels[i]
		if kind == dto.MetricType_COUNTER {
			o.counter.Value, o.metric.Counter = &o.value, &o.counter
		} else {
			o.gauge.Value, o.metric.Gauge = &o.value, &o.gauge
		}
		f.Metric[i] = &o.metric
	}
	return f
}
