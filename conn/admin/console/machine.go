package console

import "time"

// machineAge is how old the answer may be: to count descriptors takes long if there are many.
const machineAge = time.Second

// Machine is what the process has of its machine, how it can be reached, and what of it is safe.
type Machine struct {
	At           int64          `json:"at"`
	Memory       float64        `json:"memory"`     // bytes
	Processor    float64        `json:"processor"`  // seconds, since the start
	Processors   int            `json:"processors"` // that it may use
	Descriptors  float64        `json:"descriptors"`
	Most         float64        `json:"mostDescriptors"`
	Connections  map[string]int `json:"connections"` // by front end
	Listeners    []Listener     `json:"listeners"`
	Certificates []Certificate  `json:"certificates"`
	Disk         *Disk          `json:"disk"` // nil if jobs are in memory only
}

// Listener is an address.
type Listener struct {
	FrontEnd string `json:"face"`
	Address  string `json:"address"`
	TLS      bool   `json:"tls"`
}

// Certificate is one of a front end.
type Certificate struct {
	FrontEnd string `json:"face"`
	File     string `json:"file"`
	Ends     int64  `json:"ends"` // milliseconds since 1970
}

// Disk is where the jobs are, and their copies.
type Disk struct {
	Path    string `json:"path"`
	Free    uint64 `json:"free"` // bytes
	Backups string `json:"backups"`
	Backup  int64  `json:"backup"` // when the last complete one was begun; 0 for none
}
