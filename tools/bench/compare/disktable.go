package compare

import (
	"fmt"
	"strings"

	"beanfield/tools/bench/result"
)

// What a server writes, and what durable replies cost beside the least that they can cost.
const diskHead = "## On the disk\n\n" +
	"What a server wrote while it was measured is what the kernel counts for its process or for its disk, whichever is less. " +
	"The bare loop with a log reads all that is ready, makes one write and one sync, and answers; it recovers nothing and never tidies up.\n\n" +
	"| load | server | ops/s × bare loop | CPU × bare loop | CPU µs/job | bytes written/job | MB on the disk | highest MB |\n" +
	"|---|---|--:|--:|--:|--:|--:|--:|\n"

// onDisk leaves out the rows that have tables of their own.
func (r *rowResult) onDisk() bool {
	return r.row.class != "" && r.row.class != classMemory && !r.restarts() && !r.stalls()
}

func (r *rowResult) diskLine(b *strings.Builder, p *peerResult) {
	if p.Absent != "" || p.peer.echo {
		return
	}
	fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", r.Title, p.Name,
		r.versus(metricThroughput, p, r.bareLoop()), r.versus(metricCPU, p, r.bareLoop()),
		p.middle(func(x *result.Result) float64 { return x.Server.CPUPerOp * float64(x.Load.JobOperations()) }),
		p.middle(metricWritten.of), p.middle(metricOnDisk.of), p.middle(metricPeakMB.of))
}
