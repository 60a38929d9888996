package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A Launch says how a server is started. In its command, {port} stands for a free port, {queue} and {tls} for others,
// {dir} for an empty directory, {config} for a file that holds Config, {cert} and {key} in Config for files of TLS,
// and {self} for this program; it is split at spaces and run as it is, without a shell.
type Launch struct {
	Command string
	Config  string
	CPUs    string // pins it, if not empty
	Data    string // where {dir} is made; empty: with the system's temporary files
}

// A Launched is a server with a directory of its own. It may be started again, on the
// same data.
type Launched struct {
	*Process // nil before the first start
	Addr     string
	Queue    string // the address with the port that {queue} stands for
	TLS      string // likewise {tls}
	id       string // in its stats, as Run has found it
	args     []string
	dir      string // the data and the configuration; removed at the end
}

// StopWithin is how long a server may take to end before it is killed.
const StopWithin = 10 * time.Second

// ErrNotStarted is wrapped by the reason for which a server does not serve.
var ErrNotStarted = errors.New("the server did not start")

// Prepare makes all that a server needs, and does not start it yet.
func (how Launch) Prepare() (*Launched, error) {
	var ports [3]int
	for i := range ports {
		port, err := FreePort()
		if err != nil {
			return nil, err
		}
		ports[i] = port
	}
	port, queue, secured := ports[0], ports[1], ports[2]
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &Launched{Addr: localAddr(port), Queue: localAddr(queue), TLS: localAddr(secured)}
	if s.dir, err = os.MkdirTemp(how.Data, "server-"); err != nil {
		return nil, err
	}
	// The file lies beside the data: a server may want its directory empty.
	data, config := filepath.Join(s.dir, "data"), filepath.Join(s.dir, "config.toml")
	cert, key := filepath.Join(s.dir, "cert.pem"), filepath.Join(s.dir, "key.pem")
	fill := strings.NewReplacer("{port}", strconv.Itoa(port), "{queue}", strconv.Itoa(queue), "{tls}",
		strconv.Itoa(secured),
		"{dir}", data, "{config}", config, "{cert}", cert, "{key}", key, "{self}", self)
	err = errors.Join(os.Mkdir(data, 0o700), os.WriteFile(config, []byte(fill.Replace(how.Config)), 0o600))
	if strings.Contains(how.Config, "{cert}") {
		err = errors.Join(err, Certify(cert, key))
	}
	s.args = strings.Fields(fill.Replace(how.Command))
	if len(s.args) == 0 {
		err = errors.Join(err, errors.New("the server's command is empty"))
	}
	if err != nil {
		s.Stop()
		return nil, err
	}
	if how.CPUs != "" {
		// taskset becomes the server without a fork: the pid stays.
		s.args = append([]string{"taskset", "-c", how.CPUs}, s.args...)
	}
	return s, nil
}

// Start begins a process and does not wait for anything.
func (s *Launched) Start() (err error) {
	s.id = ""
	s.Process, err = Start(io.Discard, s.Addr, s.args...)
	return err
}

// Serve starts the server and returns once it accepts connections.
func (s *Launched) Serve(ctx context.Context) error {
	if err := s.Start(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	conn, err := s.Connect(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotStarted, err)
	}
	return conn.Close()
}

// Disk is where its files are.
func (s *Launched) Disk() Disk { return DiskOf(s.dir) }

// OnDisk is how many bytes of the disk its files take.
func (s *Launched) OnDisk() (sum int64) {
	_ = filepath.WalkDir(filepath.Join(s.dir, "data"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // a file that has gone meanwhile takes nothing
		}
		if info, err := d.Info(); err == nil {
			sum += info.Sys().(*syscall.Stat_t).Blocks * 512
		}
		return nil
	})
	return sum
}

// Kill ends the server for good, without asking it, and removes its data.
func (s *Launched) Kill() {
	if s.Process != nil {
		s.End(syscall.SIGKILL)
	}
	os.RemoveAll(s.dir)
}

// Stop ends the server for good and removes its data. It does not matter how it ends.
func (s *Launched) Stop() {
	if s.Process != nil {
		_ = s.Terminate(StopWithin)
	}
	os.RemoveAll(s.dir)
}
