package main

import (
	"maps"
	"slices"

	"github.com/BurntSushi/toml"
)

const oneNode = `"host:port" of another machine or of this one`

// nodes reads the table of nodes, of which each mistake has its line.
func (r *fileReader) nodes(key toml.Key, v any) {
	line := r.lines.at(key, 0)
	r.config.from[nodesKey] = origin{file: r.path, line: line}
	table, ok := v.(map[string]any)
	if !ok {
		r.wrong(line, key, v, wrongKind(v).Error(), findSetting(settings, nodesKey).allowed)
		return
	}
	seen := map[address]string{}
	r.config.Cluster.Nodes = nil
	for _, name := range slices.Sorted(maps.Keys(table)) {
		at := child(key, name)
		line := r.lines.at(at, line)
		if err := checkPlain(name); err != nil {
			r.wrong(line, at, table[name], "the name of a node: "+err.Error(), `letters, digits, "-" and "_", at most 32`)
			continue
		}
		a, err := asNode(table[name])
		if err != nil {
			r.wrong(line, at, table[name], err.Error(), oneNode)
			continue
		}
		if first, twice := seen[a]; twice {
			r.wrong(line, at, table[name], "the same address as that of node "+first, "")
		}
		seen[a] = name
		if r.config.Cluster.Nodes == nil {
			r.config.Cluster.Nodes = map[string]address{}
		}
		r.config.Cluster.Nodes[name] = a
	}
}
