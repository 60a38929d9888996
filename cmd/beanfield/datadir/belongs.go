package datadir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"beanfield/storage/pebblestore"
)

// MayBeOf refuses a directory that cannot be that of a node of a cluster. The store looks closer, but only
// when enough other nodes are there. One that is empty, or was never completed, may be anybody's.
func MayBeOf(dir, cluster string) error {
	text, err := os.ReadFile(filepath.Join(dir, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var m manifest
	if err == nil && pebblestore.DamagedManifest(text) {
		if _, missing := os.Stat(pebblestore.ClusterDir(dir)); missing == nil {
			return nil // a node fetches what others have
		}
	}
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	switch {
	case err != nil:
		return fmt.Errorf("%s/%s: %w", dir, manifestName, err)
	case m.Creating:
		return nil
	case m.Cluster == cluster:
		return prepared(dir, cluster, m.Shards)
	case m.Cluster == "":
		return fmt.Errorf("%s holds the jobs of a server by itself; beanfield cluster init makes a copy the "+
			"beginning of a cluster", dir)
	}
	return fmt.Errorf("%s belongs to the cluster %s, not to %s", dir, m.Cluster, cluster)
}
