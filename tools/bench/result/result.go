package result

import (
	"beanfield/tools/bench/load"
)

// A Result is what one measurement found; it is also the form of -json.
type Result struct {
	Load      load.Load          `json:"load"`
	Wait      string             `json:"wait,omitempty"` // how the generator waited for replies
	Seconds   float64            `json:"seconds"`
	Ops       uint64             `json:"ops"`
	OpsPerSec float64            `json:"ops_per_s"`
	ByCommand map[string]uint64  `json:"ops_by_command,omitempty"`
	Latency   map[string]Latency `json:"latency,omitempty"` // "all" and each command
	Missed    uint64             `json:"missed,omitempty"`  // due in an open loop, never sent
	Server    ServerUse          `json:"server"`
	Restart   *Restart           `json:"restart,omitempty"`
	Stalls    *Stalls            `json:"stalls,omitempty"`
	// GeneratorCPU and OthersCPU are in processors: 1 is one of them all the time. A
	// generator that spins has its looks in vain left out.
	GeneratorCPU float64 `json:"generator_cpu"`
	OthersCPU    float64 `json:"others_cpu"`
	// Waiting is how many connections had an answer waiting, on average, whenever the
	// generator looked: near 1 it keeps up with the server, near all it does not.
	Waiting float64 `json:"generator_waiting"`
}

// ServerUse is zero where the server's process is not known.
type ServerUse struct {
	CPU          float64 `json:"cpu"`           // processors
	CPUPerOp     float64 `json:"cpu_us_per_op"` // microseconds
	SystemPerOp  float64 `json:"system_us_per_op"`
	RSS          int64   `json:"rss_bytes"`
	PeakRSS      int64   `json:"peak_rss_bytes"`
	BytesEach    float64 `json:"bytes_each,omitempty"` // memory, idle: of each job, connection
	WrittenPerOp float64 `json:"written_bytes_per_op,omitempty"`
	OnDisk       int64   `json:"on_disk_bytes,omitempty"` // its files at the end
}

// GeneratorBound tells that the generator was always busy while answers waited for
// it: more would have been possible. Processor time alone does not tell, since a
// generator that keeps up is busy as well, with more and shorter looks.
func (r *Result) GeneratorBound() bool {
	conns := float64(r.Load.Connections)
	return r.Load.Rate == 0 && conns >= 8 && r.GeneratorCPU > 0.95 && r.Waiting > conns/4
}
