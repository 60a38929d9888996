package datadir

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"beanfield/storage/pebblestore"
)

// Detach makes the directory of a node that has been stopped that of a server by itself. cluster is
// the node's, or "" for whichever it is. If it is killed, it can be called again.
func Detach(dir, cluster string, logger *slog.Logger) (pebblestore.Counts, error) {
	var none pebblestore.Counts
	if err := complete(dir); err != nil {
		return none, err
	}
	if err := errors.Join(idle(dir), mine(dir)); err != nil {
		return none, err
	}
	text, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		return none, err
	}
	var m struct{ Cluster string }
	if err := json.Unmarshal(text, &m); err != nil {
		return none, fmt.Errorf("%s/%s: %w", dir, manifestName, err)
	}
	switch {
	case m.Cluster == "":
		return none, fmt.Errorf("%s belongs to no cluster: a server by itself opens it as it is", dir)
	case cluster != "" && m.Cluster != cluster:
		return none, fmt.Errorf("%s belongs to the cluster %s, not to %s", dir, m.Cluster, cluster)
	}
	return pebblestore.Leave(offline(dir, logger))
}
