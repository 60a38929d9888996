// Package compare measures servers side by side and reports how they compare.
//
// A row is one load (rows.toml), with the goals that beanfield has in it; those beside other queue servers than
// beanstalkd stand in peers.toml, and package peers measures them. In each round of a row, every server is
// started afresh and measured once (compare.go); two builds of beanfield are measured in pairs (pairs.go). Ratios are
// taken within a round or a pair, so what disturbs the machine for minutes cancels out; a report shows the median of
// the ratios and their range (report.toml and results.tmpl, with markdown.go and tables.go; against.go for two builds,
// chart.go).
//
// Reading order: row.go, rows.toml, peers.go, compare.go, kept.go, then report.toml.
package compare
