package admin

import (
	"math"

	"beanfield/storage/tally"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// scale says what the steps of a reading are.
type scale struct {
	steps int // how many there are in 1, as a power of two
	last  int // the last bucket that a classic histogram shows
}

var (
	seconds = scale{tally.TimeSteps, tally.Buckets - 1}
	numbers = scale{tally.NumberSteps, 6 * classicEvery}
)

// classicEvery is how many buckets are one of a classic histogram: each of its bounds is
// four times the one before.
const classicEvery = 8

// histogram shows a reading as a native histogram and as a classic one. A server that asks
// for protobuf gets both, others the classic one.
type histogram struct {
	desc   *prometheus.Desc
	values []string // of the labels
	names  []string
	scale  scale
	read   tally.Reading
}

// Desc implements prometheus.Metric.
func (h *histogram) Desc() *prometheus.Desc { return h.desc }

// bound is the upper bound of a bucket.
func (s scale) bound(bucket int) float64 {
	return math.Pow(2, float64(bucket)/4) * tally.FirstBound / float64(uint64(1)<<s.steps)
}

// Write implements prometheus.Metric.
func (h *histogram) Write(m *dto.Metric) error {
	m.Label = labels(h.names, h.values)
	m.Histogram = &dto.Histogram{
		SampleCount: new(h.read.Total()), SampleSum: new(float64(h.read.Sum) / float64(uint64(1)<<h.scale.steps)),
	}
	h.classic(m.Histogram)
	h.native(m.Histogram)
	return nil
}

func (h *histogram) classic(d *dto.Histogram) {
	sum := uint64(0)
	for i, n := range h.read.Counts {
		// What is above the last bound is in the last bucket too.
		if sum += n; i%classicEvery == 0 && i <= h.scale.last && i < tally.Buckets-1 {
			d.Bucket = append(d.Bucket, &dto.Bucket{CumulativeCount: new(sum), UpperBound: new(h.scale.bound(i))})
		}
	}
}

func (h *histogram) native(d *dto.Histogram) {
	d.Schema = new(int32(2))
	d.ZeroThreshold, d.ZeroCount = new(h.scale.bound(0)), new(h.read.Counts[0])
	first, last := 1, tally.Buckets-1
	for first <= last && h.read.Counts[first] == 0 {
		first++
	}
	for last >= first && h.read.Counts[last] == 0 {
		last--
	}
	if first > last { // a native histogram has at least one span
		d.PositiveSpan = []*dto.BucketSpan{{Offset: new(int32(0)), Length: new(uint32(0))}}
		return
	}
	// Bucket 1 ends a quarter of an octave above the bound of bucket 0, which is a power of two.
	zero := 4 * (int(math.Log2(tally.FirstBound)) - h.scale.steps)
	d.PositiveSpan = []*dto.BucketSpan{{Offset: new(int32(zero + first)), Length: new(uint32(last - first + 1))}}
	before := int64(0)
	for _, n := range h.read.Counts[first : last+1] {
		d.PositiveDelta = append(d.PositiveDelta, int64(n)-before)
		before = int64(n)
	}
}

func labels(names, values []string) (list []*dto.LabelPair) {
	for i, name := range names {
		list = append(list, &dto.LabelPair{Name: new(name), Value: new(values[i])})
	}
	return list
}
