// Package compare measures servers side by side and reports how they compare.
//
// A row is one load (rows.go, stallrows.go), with the goals that beanfield has in it. In
// each round of a row, every server is started afresh and measured once. Ratios are
// taken within a round, so what disturbs the machine for minutes cancels out; a report
// shows the median of the rounds' ratios and their range.
//
// Reading order: row.go, rows.go, peers.go, compare.go, then markdown.go and chart.go.
package compare
