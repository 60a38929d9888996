//go:build linux

package testserver

import (
	"os"
	"path/filepath"
	"testing"

	"beanfield/tools/server"
)

var built server.Build

// Run runs the tests of a package that uses the server, for its TestMain.
func Run(m *testing.M) int { return built.Run(m) }

// Command starts the server of this module, with a queue service.
func Command(t *testing.T) string {
	t.Helper()
	program, err := built.Program()
	if err != nil {
		t.Fatal(err)
	}
	return program + " -l 127.0.0.1 -p {port} -z 1073741824 -shards 1 -queue 127.0.0.1:{queue}"
}

// Launch starts the server for the test.
func Launch(t *testing.T) *server.Launched {
	t.Helper()
	s, err := server.Launch{Command: Command(t), Data: t.TempDir()}.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	if err := s.Serve(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// Changed starts it by way of a script of the shell, which has the server's command as its arguments.
func Changed(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "server")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path + " " + Command(t)
}
