package compare

import (
	"fmt"
	"strings"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/result"
)

// A restart has numbers of its own, and so its rows have a table of their own.
const restartHead = "## Restarts\n\n" +
	"Nothing is pinned. A server is started without data, filled, ended with SIGTERM and started again. " +
	"Recovery lasts from the second start to the reply that counts every job; the memory after it is read when the server has settled, the highest is its VmHWM.\n\n" +
	"| load | server | start ms | load s | RSS MB | highest MB | end s | recovery s | × beanstalkd | highest MB | RSS MB |\n" +
	"|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"

func (r *rowResult) restarts() bool { return r.row.load.Kind == load.KindRestart }

func (r *rowResult) restartLine(b *strings.Builder, p *peerResult) {
	if p.Absent != "" {
		fmt.Fprintf(b, "| %s | %s | did not start | | | | | | | | |\n", r.Title, p.Name)
		return
	}
	mid := func(of func(*result.Restart) float64) string {
		return p.middle(func(res *result.Result) float64 { return of(res.Restart) })
	}
	against := r.versus(metricRecovery, p, r.baseline())
	if p == r.baseline() && r.row.load.Backlog == 0 {
		against = "–"
	}
	fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", r.Title, p.Name,
		p.middle(metricStart.of),
		mid(func(u *result.Restart) float64 { return u.LoadSec }),
		mid(func(u *result.Restart) float64 { return result.MB(u.LoadedRSS) }), p.middle(metricLoadedMB.of),
		mid(func(u *result.Restart) float64 { return u.StopSec }), p.middle(metricRecovery.of), against,
		p.middle(metricRecoveredMB.of), mid(func(u *result.Restart) float64 { return result.MB(u.RecoveredRSS) }))
}
