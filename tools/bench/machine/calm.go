package machine

import (
	"context"
	"time"
)

// OthersAllowed is the share of a processor that others may use before a measurement is
// repeated.
const OthersAllowed = 0.10

// calmLook is how long the machine must be quiet to count as that.
const calmLook = 250 * time.Millisecond

// AwaitCalm returns when the machine is quiet, or has not been for so long.
func AwaitCalm(ctx context.Context, patience time.Duration) error {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		before, err := BusyTime()
		if err != nil {
			return err
		}
		select {
		case <-time.After(calmLook):
		case <-ctx.Done():
			return ctx.Err()
		}
		after, err := BusyTime()
		if err != nil || float64(after-before) <= OthersAllowed*float64(calmLook) {
			return err
		}
	}
	return nil
}
