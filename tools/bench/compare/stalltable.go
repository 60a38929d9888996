package compare

import (
	"fmt"
	"strings"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/result"
)

// Stalls have numbers of their own, and so their rows have a table of their own.
const stallHead = "## Stalls\n\n" +
	"One connection puts, reserves and deletes 100 bytes in a tube of its own, on a server with one shard, for a second in peace and then while others do what the row says. " +
	"All numbers are medians (smallest–largest).\n\n" +
	"| beside it | server | longest stall µs | × beanstalkd | p99.9 µs | longest in peace µs | p99.9 in peace µs | took s | server worked µs | generator away µs | bare echo µs |\n" +
	"|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"

func (r *rowResult) stalls() bool { return r.row.load.Kind == load.KindNeighbour }

func (r *rowResult) stallLine(b *strings.Builder, p *peerResult) {
	if p.Absent != "" {
		fmt.Fprintf(b, "| %s | %s | did not start | | | | | | | | |\n", r.Title, p.Name)
		return
	}
	all := result.Stalls{}
	for _, res := range p.Rounds {
		all.Each = append(all.Each, res.Stalls.Each...)
	}
	bare := "–"
	if us := p.bare(); us > 0 {
		bare = result.Short(us)
	}
	fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", r.Title, p.Name,
		all.All(result.LongestStall), r.versus(metricStall, p, r.baseline()), all.All(result.StallP999), all.All(result.LongestPeace), all.All(result.PeaceP999),
		all.All(result.StallTook), all.All(result.StallWork), all.All(result.StallAway), bare)
}

// bare is the median of what a bare server's client waited, 0 where there was none.
func (p *peerResult) bare() float64 {
	var all []float64
	for _, res := range p.Rounds {
		if res.Stalls != nil {
			all = append(all, res.Stalls.BareUs)
		}
	}
	if len(all) == 0 {
		return 0
	}
	return result.SpreadOf(all).Median
}
