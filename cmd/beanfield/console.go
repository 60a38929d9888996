package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"beanfield/cmd/beanfield/config"
	"beanfield/cmd/beanfield/datadir"
	"beanfield/cmd/beanfield/listeners"
	"beanfield/conn"
	"beanfield/conn/admin"
	"beanfield/conn/admin/console"
	"beanfield/conn/admin/history"
	"beanfield/conn/audit"
	"beanfield/shard/queue/policy"
	"beanfield/storage/pebblestore"
)

// newConsole makes the console, when all other front ends have been made. The console reads the
// settings each time, because they may change.
func (s *service) newConsole() (*console.Console, error) {
	_, page := s.ofCluster()
	return console.New(console.Options{
		Cluster:    page,
		Router:     s.router,
		FrontEnds:  s.clients(),
		Machine:    s.machine(s.metrics, s.connections),
		Latency:    s.beanstalk.Latency,
		History:    s.history.Charts,
		LimitsFor:  func(tube string) *policy.Limits { return (*s.limits.Load())(tube) },
		MaxJobSize: func() int { return int(s.config.Load().Limits.MaxJobSize) },
		Exposes:    func(body []byte) bool { return s.current.Load().Exposes(body) },
		Tell:       s.tellEvent,
		Policies:   s.policies.conn(),
		Schedules:  s.schedules.Infos,
		Slow:       s.slow,
		Version:    version,
		Started:    time.Now(),
		May:        s.mayAct,
	})
}

// machine is how the process is doing, for the console: what its metrics say, and what is around it.
func (f *fronts) machine(m *admin.Metrics, connections func() map[string]int) func() (*console.Machine, error) {
	return func() (*console.Machine, error) {
		c := f.config.Load()
		of, err := m.Process()
		if err != nil {
			return nil, err
		}
		a := &console.Machine{
			At:     time.Now().UnixMilli(),
			Memory: of["process_resident_memory_bytes"], Processor: of["process_cpu_seconds_total"],
			Processors:  config.Cores,
			Descriptors: of["process_open_fds"], Most: of["process_max_fds"], Connections: connections(),
		}
		for _, l := range f.listeners {
			a.Listeners = append(a.Listeners, console.Listener{FrontEnd: listeners.FrontOf(l),
				Address: l.Addr().String(), TLS: listeners.CertsOf(l) != nil})
		}
		for _, e := range expiries(c) {
			a.Certificates = append(a.Certificates, console.Certificate{FrontEnd: e.FrontEnd, File: e.File,
				Ends: e.Ends.UnixMilli()})
		}
		if c.Storage.Backend == config.InMemory {
			return a, nil
		}
		d := &console.Disk{Path: c.Storage.Path, Backups: c.BackupPath()}
		if at := lastBackup(d.Backups); !at.IsZero() {
			d.Backup = at.UnixMilli()
		}
		d.Free, err = datadir.Free(d.Path)
		a.Disk = d
		return a, err
	}
}

// consoleURL is where the other nodes find the console: at none of the addresses if only this machine reaches them.
func (f *fronts) consoleURL(c *config.Config) string {
	for _, l := range f.listeners {
		at, tcp := l.Addr().(*net.TCPAddr)
		if listeners.FrontOf(l) != listeners.Admin || !tcp || at.IP.IsLoopback() {
			continue
		}
		host, scheme := at.IP.String(), "http"
		if at.IP.IsUnspecified() {
			host = c.Cluster.Nodes[c.Cluster.Node].Host
		}
		if listeners.CertsOf(l) != nil {
			scheme = "https"
		}
		return scheme + "://" + net.JoinHostPort(host, strconv.Itoa(at.Port))
	}
	return ""
}

// newHistory begins to keep what the console's charts show, in the data directory if there is one.
func (s *service) newHistory(c *config.Config) *history.Keeper {
	o := history.Options{Shards: s.router, Latency: s.beanstalk.Latency, Logger: s.log}
	if c.Storage.Backend == config.OnDisk {
		o.Path = filepath.Join(c.Storage.Path, pebblestore.HistoryName)
	}
	return history.Start(o)
}

// clients returns the front ends whose clients the console lists. Its own are not among them.
func (s *service) clients() []console.FrontEnd {
	list := []console.FrontEnd{{Name: listeners.Beanstalk, Clients: s.beanstalk.Clients,
		Disconnect: s.beanstalk.Disconnect}}
	if s.queue == nil {
		return list
	}
	return append(list, console.FrontEnd{
		Name: listeners.Queue,
		Clients: func(_ context.Context, held map[any]int) ([]conn.Client, bool) {
			return s.queue.Clients(held), true
		},
		Disconnect: func(_ context.Context, id uint64) (conn.Client, bool) { return s.queue.Disconnect(id) },
	})
}

// onStderr is the word of audit.file for standard error.
const onStderr = "stderr"

// stays is a file that Close leaves open.
type stays struct{ io.Writer }

func (stays) Close() error { return nil }

// openAudit opens what audit.file names; nil if it names nothing.
func openAudit(c *config.Config) (io.WriteCloser, error) {
	switch c.Audit.File {
	case "":
		return nil, nil
	case onStderr:
		return stays{os.Stderr}, nil
	}
	f, err := os.OpenFile(c.Audit.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o640)
	if err != nil {
		return nil, fmt.Errorf("audit.file: %w", err)
	}
	return f, nil
}

// startAudit begins the audit log, if there is to be one.
func (f *fronts) startAudit(c *config.Config) error {
	file, err := openAudit(c)
	if file != nil {
		f.audit = audit.New(file, f.log)
	}
	return err
}

// reopenAudit goes on in the file that has the name now: the old one may have been moved away.
func (f *fronts) reopenAudit() {
	if f.audit == nil {
		return
	}
	file, err := openAudit(f.config.Load())
	if err != nil {
		f.log.Error("the audit log goes on in the old file", "error", err)
		return
	}
	f.audit.Reopen(file)
}

// tellEvent tells the audit log what somebody has done in the console.
func (f *fronts) tellEvent(r *http.Request, d console.Event) {
	if f.audit == nil {
		return
	}
	var detail []string
	if d.Done > 0 {
		detail = append(detail, fmt.Sprintf("jobs: %d", d.Done))
	}
	if d.To != "" {
		detail = append(detail, "to: "+d.To)
	}
	if d.Changes != "" {
		detail = append(detail, d.Changes)
	}
	client := admin.ClientOf(r)
	f.audit.Tell(audit.Event{
		Who: client.Subject.Who(), From: client.From, FrontEnd: "console", What: d.What, Tube: d.Tube, ID: d.ID,
		Detail: strings.Join(detail, ", "), Refused: d.Refused,
	})
}
