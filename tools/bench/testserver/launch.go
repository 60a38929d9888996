package testserver

import (
	"context"
	"os"
	"sync"
	"testing"

	"beanfield/tools/server"
)

// built is the program, for all tests of a process.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "bench-test-")
	if err != nil {
		return "", err
	}
	return server.Beanfield(context.Background(), dir)
})

// Launch starts the server of this module, with a queue service, for the test.
func Launch(t *testing.T) *server.Launched {
	t.Helper()
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.Launch{Command: program + " -l 127.0.0.1 -p {port} -queue 127.0.0.1:{queue}",
		Data: t.TempDir()}.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	if err := s.Serve(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}
