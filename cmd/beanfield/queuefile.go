package main

import "github.com/BurntSushi/toml"

const queueForKey = "queue.for"

// queueFor reads the array of limits for some queues. What an element leaves out is as in
// [queue].
func (r *fileReader) queueFor(key toml.Key, v any) {
	tables, _ := r.array(key, v, "tables")
	for i, table := range tables {
		f := QueueFor{Limits: r.config.Queue.Limits}
		line := r.lines.element(key, i, len(tables))
		if _, ok := table["match"]; !ok {
			r.missing(line, queueForSettings[0].key, "missing", queueForSettings[0].allowed)
		}
		read(r, key, line, table, queueForSettings, &f)
		r.config.Queue.For = append(r.config.Queue.For, f)
	}
}
