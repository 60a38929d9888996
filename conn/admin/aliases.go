package admin

import (
	"math"

	"beanfield/storage/tally"

	dto "github.com/prometheus/client_model/go"
)

// The alias beanstalkd_exporter: the names and labels of messagebird's program, so that
// dashboards and alerts made for it keep working. All keys are gauges there, even those
// that count, and a text is 0.

// notTold are the keys that it leaves out.
var notTold = map[string]bool{"hostname": true, "id": true, "pid": true}

// logKeys are the keys that beanfield has beyond beanstalkd's. They have no alias.
var logKeys = map[string]bool{"log-syncs": true, "log-bytes-live": true, "log-bytes-on-disk": true, "log-error": true,
	"current-jobs-damaged": true}

// exporterFamilies are its metrics.
func (m *Metrics) exporterFamilies(f *findings) (list []*dto.MetricFamily) {
	gauge := dto.MetricType_GAUGE
	names := []string{"instance"}
	here := [][]*dto.LabelPair{labels(names, []string{f.opts.Instance})}
	for _, k := range f.keys {
		if !notTold[k.name] && !logKeys[k.name] {
			list = append(list, family(underscored(k.name), k.name, gauge, here, func(int) float64 {
				return k.exported()
			}))
		}
	}
	tubes := make([][]*dto.LabelPair, len(f.tubes.tubes))
	for i := range tubes {
		tubes[i] = labels([]string{"instance", "tube"}, []string{f.opts.Instance, f.tubes.tubes[i].Name})
	}
	for _, k := range tubeKeys {
		list = append(list, family("tube_"+underscored(k.name), k.name, gauge, tubes, k.of(f.tubes.tubes)))
	}
	return append(list, m.exporterItself()...)
}

// exported is a key's value as that program has it.
func (k key) exported() float64 {
	if k.name == "draining" {
		return 0
	}
	return k.number()
}

// exporterItself are the metrics about that program itself. A scrape here is one request
// that succeeds.
func (m *Metrics) exporterItself() []*dto.MetricFamily {
	m.mu.Lock()
	made := m.made
	var past tally.Reading
	m.past.ReadTo(&past)
	m.mu.Unlock()
	outcome := func(word string) [][]*dto.LabelPair {
		return [][]*dto.LabelPair{labels([]string{"outcome"}, []string{word})}
	}
	none, counter := make([][]*dto.LabelPair, 1), dto.MetricType_COUNTER
	zero := func(int) float64 { return 0 }
	scrapes := &dto.MetricFamily{Name: new("beanstalkd_exporter_scrape_seconds"), Help: new("Scrape time buckets."),
		Type: new(dto.MetricType_HISTOGRAM)}
	h := histogram{scale: seconds, read: past}
	d := &dto.Metric{}
	h.Write(d)
	d.Histogram.Bucket = append(d.Histogram.Bucket, &dto.Bucket{CumulativeCount: new(past.Total()),
		UpperBound: new(math.Inf(1))})
	scrapes.Metric = []*dto.Metric{d}
	return []*dto.MetricFamily{
		family("beanstalkd_exporter_requests_total", "The number of request to beanstalkd.", counter,
			outcome("success"), func(int) float64 { return float64(made) }),
		family("beanstalkd_exporter_scrape_connection_errors_total", "Total number of connection errors to beanstalkd.",
			counter, none, zero),
		family("beanstalkd_exporter_loaded_mappings_count", "Mappings of tubes' names; there are none here.",
			dto.MetricType_GAUGE, none, zero),
		family("beanstalkd_exporter_config_reloads_total", "Reloads of mappings; there are none here.", counter,
			outcome("success"), zero),
		scrapes,
	}
}
