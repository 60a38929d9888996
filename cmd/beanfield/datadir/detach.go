package datadir

import (
	"errors"
	"fmt"
	"log/slog"

	"beanfield/storage/pebblestore"
)

// Detach makes the directory of a node that has been stopped that of a server by itself. cluster is
// the node's, or "" for whichever it is. If it is killed, it can be called again.
func Detach(dir, cluster string, logger *slog.Logger) (pebblestore.Counts, error) {
	if _, err := nodeOf(dir, cluster); err != nil {
		return pebblestore.Counts{}, err
	}
	return pebblestore.Leave(offline(dir, logger))
}

// nodeOf is the manifest of a node that has been stopped. cluster is the node's, or "" for whichever it is.
func nodeOf(dir, cluster string) (m manifest, err error) {
	if err := complete(dir); err != nil {
		return m, err
	}
	if err := errors.Join(idle(dir), mine(dir)); err != nil {
		return m, err
	}
	m, err = readManifest(dir)
	switch {
	case err != nil:
	case m.Cluster == "":
		err = fmt.Errorf("%s belongs to no cluster: a server by itself opens it as it is", dir)
	case cluster != "" && m.Cluster != cluster:
		err = fmt.Errorf("%s belongs to the cluster %s, not to %s", dir, m.Cluster, cluster)
	}
	return m, err
}
