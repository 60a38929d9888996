package jetstream

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// oldest is the oldest version of the engine that does not lose what it has acknowledged in one of
// the ways that are known.
var oldest = [3]int{2, 15, 2}

// Conn is a connection to the engine.
type Conn = nats.Conn

// ErrOld says that a site's engine is too old.
var ErrOld = errors.New("jetstream: the engine is too old")

// Connect opens a connection to a site's own engine. Whether that one syncs before it answers can
// be seen by its operator only: an account like ours is not told.
func Connect(urls []string, options ...nats.Option) (*nats.Conn, error) {
	nc, err := ConnectAny(urls, options...)
	if err != nil {
		return nil, err
	}
	if version := nc.ConnectedServerVersion(); !recent(version) {
		nc.Close()
		return nil, fmt.Errorf("%w: %s; at least %d.%d.%d is needed, unless you take the risk to lose jobs "+
			"(engine_unsafe)",
			ErrOld, version, oldest[0], oldest[1], oldest[2])
	}
	return nc, nil
}

// ConnectAny does so with an engine of any version. The first of the URLs that answers is taken, so that a node
// can have the server of its own machine.
func ConnectAny(urls []string, options ...nats.Option) (*nats.Conn, error) {
	nc, err := nats.Connect(strings.Join(urls, ","), append(append(patient(), nats.DontRandomize()), options...)...)
	if err != nil {
		return nil, fmt.Errorf("jetstream: no connection to the engine: %w", err)
	}
	if most := nc.MaxPayload(); most < MaxPayload {
		nc.Close()
		return nil, fmt.Errorf("%w: its max_payload is %d; at least %d is needed", ErrOptions, most, MaxPayload)
	}
	return nc, nil
}

// Unfit tells whether an engine that answers is no good: waiting for another answer is no use.
func Unfit(err error) bool {
	return errors.Is(err, ErrOld) || errors.Is(err, ErrOptions) || errors.Is(err, nats.ErrAuthorization) ||
		errors.Is(err, nats.ErrAccountAuthExpired)
}

// patient are options of a connection that comes back, and keeps nothing meanwhile: an append that
// is sent later than its writer believes does no harm, but no good either.
func patient() []nats.Option {
	return []nats.Option{
		nats.MaxReconnects(-1), nats.ReconnectWait(100 * time.Millisecond), nats.ReconnectJitter(0, 0),
		nats.ReconnectBufSize(-1), nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(3),
	}
}

// recent compares a version such as 2.15.2 or 2.16.0-RC.1 with the oldest one that will do.
func recent(version string) bool {
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "v"), "-")
	parts := strings.Split(version, ".")
	for i, least := range oldest {
		if i >= len(parts) {
			return false
		}
		n, err := strconv.Atoi(parts[i])
		if err != nil || n < least {
			return false
		}
		if n > least {
			return true
		}
	}
	return true
}
