package command

import (
	"bufio"
	"io"
	"path/filepath"
	"testing"

	"beanfield/conn/beanstalk/client"
	"beanfield/storage/must"
)

// A tail that may not peek says so.
func TestTailThatMayNotPeek(t *testing.T) {
	s := startServer(t, "-config", "testdata/rights.toml")
	s.talk("$ sh 'cat >all' << \"all\"\n$ sh 'cat >probes' << \"probes\"\n$ put -tube mail -token-file DIR/all x\n1")
	probes := s.dial(client.Options{TokenFile: filepath.Join(s.dir, "probes")})
	tr := follower{tail: &tail{}, s: probes, out: bufio.NewWriter(io.Discard), pattern: "mail"}
	must.Do(t, tr.begin())
	s.talk("$ put -tube mail -token-file DIR/all unseen\n3")
	if err := tr.look(); err == nil {
		t.Error("it says nothing")
	}
}
