package admin

import (
	"strconv"
	"strings"
)

// A key of stats becomes a metric of the same name, with underscores, and with the unit
// and the ending that Prometheus wants.

// key is one of the reply of stats.
type key struct {
	name, value string
}

// keys reads a reply of stats.
func keys(text []byte) (list []key) {
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			list = append(list, key{name, strings.Trim(value, `"`)})
		}
	}
	return list
}

// texts are the keys whose values are not numbers. They are labels of one metric.
var texts = map[string]bool{"version": true, "id": true, "hostname": true, "os": true, "platform": true}

// units are those of keys whose names do not say them.
var units = map[string]string{
	"uptime": "_seconds", "rusage-utime": "_seconds", "rusage-stime": "_seconds", "max-job-size": "_bytes",
	"binlog-max-size": "_bytes",
	"pause":           "_seconds", "pause-time-left": "_seconds",
}

// counts says that a key only ever grows.
func counts(name string) bool {
	for _, prefix := range []string{"cmd-", "total-", "job-timeouts", "rusage-", "binlog-records-", "log-syncs"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// metricName is the name of a key's metric.
func metricName(prefix, name string) string {
	full := prefix + underscored(name) + units[name]
	if counts(name) {
		full += "_total"
	}
	return full
}

func underscored(name string) string { return strings.ReplaceAll(name, "-", "_") }

// number is a key's value as a number: text is 0, except for two keys that are 1 or 0.
func (k key) number() float64 {
	switch {
	case k.name == "draining":
		return truth(k.value == "true")
	case k.name == "log-error":
		return truth(k.value != "none")
	}
	v, _ := strconv.ParseFloat(k.value, 64)
	return v
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
