package testserver

import (
	"testing"

	"beanfield/tools/server"
)

// Launch starts the server of this module, with a queue service, for the test.
func Launch(t *testing.T) *server.Launched {
	t.Helper()
	program, err := server.Beanfield(t.Context(), t.TempDir())
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
