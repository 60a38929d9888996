package floor

import (
	"context"
	"testing"
	"time"
)

// A server that has to be killed costs every measurement of it ten seconds.
func TestEchoServerEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Echo(ctx, nil) }()
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Minute):
		t.Error("the echo server goes on")
	}
}
