package datadir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"beanfield/storage/must"
	"beanfield/storage/pebblestore"
)

func TestMayBeOf(t *testing.T) {
	dir := t.TempDir()
	for manifest, wrong := range map[string]string{
		"": "", `{"cluster":"c"}`: "", `{"creating":true}`: "", `{"creating":true,"cluster":"d"}`: "",
		`{"shards":1}`: "holds the jobs of a server by itself", `{"cluster":"d"}`: "belongs to the cluster d, not to c",
		"{": manifestName,
	} {
		if manifest != "" {
			must.Do(t, os.WriteFile(filepath.Join(dir, manifestName), []byte(manifest), 0o600))
		} else {
			os.Remove(filepath.Join(dir, manifestName))
		}
		if err := MayBeOf(dir, "c"); (err == nil) != (wrong == "") || err != nil && !strings.Contains(err.Error(),
			wrong) {
			t.Errorf("%s: %v, want %q", manifest, err, wrong)
		}
	}
	must.Do(t, os.Mkdir(pebblestore.ClusterDir(dir), 0o700))
	must.Do(t, os.WriteFile(filepath.Join(dir, manifestName), []byte("{"), 0o600))
	if err := MayBeOf(dir, "c"); err != nil {
		t.Errorf("a node's, whose manifest is damaged: %v", err)
	}
}
