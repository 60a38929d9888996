package stalls

import (
	"context"
	"fmt"
	"time"

	"beanfield/tools/bench/generator"
)

// kick makes every buried job ready with one command.
type kick struct {
	crowd
	wire *wire
	done bool
}

func (k *kick) prepare(ctx context.Context) error {
	k.done = false
	if err := k.fill(ctx); err != nil {
		return err
	}
	err := k.talk(ctx, k.buryAll)
	if err != nil {
		return err
	}
	if k.wire, err = dialWire(k.addr); err != nil {
		return err
	}
	return k.wire.send("use " + disturbedTube)
}

// buryAll buries each job as soon as it is reserved: if all are
// reserved first, beanstalkd takes time that grows with the square of their number.
func (k *kick) buryAll(c *generator.Client) error {
	reserved := false
	return c.Stream(2*len(k.ids), func(b []byte, i int) []byte {
		if i%2 == 0 {
			return append(b, "reserve-with-timeout 0\r\n"...)
		}
		return fmt.Appendf(b, "bury %d %d\r\n", k.ids[i/2], generator.JobPriority)
	}, func(line string) error {
		if reserved = !reserved; reserved {
			_, err := k.taken(c, line)
			return err
		}
		if line != "BURIED" {
			return fmt.Errorf("bury was answered %.80q", line)
		}
		return nil
	})
}

func (k *kick) begin() error { return k.wire.send(fmt.Sprintf("kick %d", k.load.Backlog)) }

func (k *kick) step() (bool, error) {
	if k.done {
		return false, nil
	}
	line, ok, err := k.wire.line()
	if !ok || err != nil {
		return false, err
	}
	switch line {
	case "USING " + disturbedTube:
	case fmt.Sprintf("KICKED %d", k.load.Backlog):
		k.done = true
	default:
		return false, fmt.Errorf("kick %d was answered %.80q", k.load.Backlog, line)
	}
	return true, nil
}

func (k *kick) starts() time.Time { return time.Time{} }

func (k *kick) over() bool { return k.done }

func (k *kick) end() { k.wire.close() }
