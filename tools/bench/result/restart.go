package result

import (
	"fmt"
)

// A Restart is what a server that keeps its jobs on disk did from its first start to
// its second.
type Restart struct {
	Jobs     int     `json:"jobs"`
	StartSec float64 `json:"start_s"` // until the first reply, without any data
	// The rest is left out where there were no jobs.
	LoadSec    float64 `json:"load_s,omitempty"`
	LoadedRSS  int64   `json:"loaded_rss_bytes,omitempty"` // at the end of loading
	LoadedPeak int64   `json:"loaded_peak_bytes,omitempty"`
	StopSec    float64 `json:"stop_s,omitempty"`
	// RecoverySec goes from the second start to a reply that counts every job.
	RecoverySec   float64 `json:"recovery_s,omitempty"`
	RecoveredRSS  int64   `json:"recovered_rss_bytes,omitempty"`
	RecoveredPeak int64   `json:"recovered_peak_bytes,omitempty"`
}

// Peak is the most memory that the restart took, against what the server needs for its
// jobs: before the restart or after it, whichever is less.
func (u *Restart) Peak() float64 {
	return float64(u.RecoveredPeak) / float64(min(u.LoadedRSS, u.RecoveredRSS))
}

func (u *Restart) String() string {
	text := fmt.Sprintf("%.0f ms to the first reply without data", u.StartSec*1e3)
	if u.Jobs == 0 {
		return text
	}
	return text + fmt.Sprintf("; %d jobs put in %.1f s, %.0f MB resident, at most %.0f; ended in %.2f s; back in "+
		"%.2f s, %.0f MB, at most %.0f",
		u.Jobs, u.LoadSec, MB(u.LoadedRSS), MB(u.LoadedPeak), u.StopSec, u.RecoverySec, MB(u.RecoveredRSS),
		MB(u.RecoveredPeak))
}
