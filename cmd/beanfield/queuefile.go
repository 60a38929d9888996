package main

import "github.com/BurntSushi/toml"

const queueForKey = "queue.for"

// queueFor reads the array of limits for some queues. What an element leaves out is as in
// [queue].
func (r *fileReader) queueFor(key toml.Key, v any) {
	tables, ok := asTables(v)
	if !ok {
		r.wrong(r.lines.at(key, 0), key, v, wrongKind(v).Error(), "tables, as [[queue.for]] with "+join(keysBelow(key)))
		return
	}
	for i, table := range tables {
		f := QueueFor{Limits: r.config.Queue.Limits}
		r.queueForElement(key, r.lines.element(key, i, len(tables)), table, &f)
		r.config.Queue.For = append(r.config.Queue.For, f)
	}
}

func (r *fileReader) queueForElement(path toml.Key, line int, table map[string]any, f *QueueFor) {
	if _, ok := table["match"]; !ok {
		r.mistakes = append(r.mistakes, Mistake{File: r.path, Line: line, Key: queueForSettings[0].key,
			Problem: "missing", Allowed: queueForSettings[0].allowed})
	}
	for name, v := range table {
		key := child(path, name)
		at := r.lines.at(key, line)
		row := findSetting(queueForSettings, key.String())
		if row == nil {
			r.unknown(at, key, v, join(keysBelow(path)))
		} else if err := row.set(f, v); err != nil {
			r.wrong(at, key, v, err.Error(), row.allowed)
		}
	}
}
