package command

import (
	"errors"
	"fmt"

	"beanfield/cmd/beanfield/datadir"
	"beanfield/storage/pebblestore"
)

// joined is what cluster init and cluster detach print: how much the directory has.
type joined struct {
	Path    string `json:"path"`
	Cluster string `json:"cluster,omitempty"`
	Shards  int    `json:"shards"`
	Ready   int    `json:"ready"`
	Delayed int    `json:"delayed"`
	Buried  int    `json:"buried"`
	Passed  int    `json:"passed,omitempty"`
	Jobs    int    `json:"jobs"`
	Queues  int    `json:"queues"`
	LastID  uint64 `json:"last_id"`
}

func counted(path, cluster string, n pebblestore.Counts) joined {
	return joined{
		Path: path, Cluster: cluster, Shards: n.Shards, Ready: n.Jobs - n.Delayed - n.Buried - n.Passed,
		Delayed: n.Delayed,
		Buried:  n.Buried, Passed: n.Passed, Jobs: n.Jobs, Queues: n.Queues, LastID: n.MaxID,
	}
}

// print shows the counts, and as text what is to be done next.
func (j joined) print(c *call, next string) error {
	if c.json {
		return encode(c.Stdout, j)
	}
	_, err := fmt.Fprintf(c.Stdout, "%s: %d jobs (%d ready, %d delayed, %d buried), %d queues, highest id %d, in %d "+
		"shards\n%s\n",
		j.Path, j.Jobs, j.Ready+j.Passed, j.Delayed, j.Buried, j.Queues, j.LastID, j.Shards, next)
	return err
}

// node is the name of the cluster, and the data directory, of the node with this configuration.
func (c *call) node(config string) (cluster, dir string, err error) {
	at, err := c.place(config, "")
	if err == nil && at.Cluster == "" {
		err = errors.New(config + " has no [cluster]: it is that of a server by itself")
	}
	return at.Cluster, at.Data, err
}

// initCluster is cluster init: the configuration names the cluster and the empty directory of this node.
func (c *call) initCluster(config, from string) error {
	switch {
	case from == "":
		return usagef("-from is missing: the directory of the server whose jobs the cluster is to have")
	case config == "":
		return usagef("-config is missing: the configuration of the node that is to have them first")
	}
	if err := c.noWords(); err != nil {
		return err
	}
	cluster, dir, err := c.node(config)
	if err != nil {
		return err
	}
	n, err := datadir.Founding{Cluster: cluster, Dir: dir, From: from}.Run(c.logger())
	if err != nil {
		return err
	}
	return counted(dir, cluster, n).print(c, fmt.Sprintf(
		"It is the beginning of the cluster %s: start this node and then the others, which begin with empty directories.", cluster))
}

// detach is cluster detach: the directory is named by the configuration of the node, or by a word.
func (c *call) detach(config string) (err error) {
	var cluster, dir string
	switch {
	case config != "":
		if err := c.noWords(); err != nil {
			return err
		}
		if cluster, dir, err = c.node(config); err != nil {
			return err
		}
	case len(c.words) == 1:
		dir = c.words[0]
	default:
		return usagef("name one directory, or give -config")
	}
	n, err := datadir.Detach(dir, cluster, c.logger())
	if err != nil {
		return err
	}
	return counted(dir, "", n).print(c,
		fmt.Sprintf("It is the directory of a server by itself now: remove [cluster] from its configuration. "+
			"%s/cluster has what the cluster's engine kept here. It is not needed any more, and may be removed.", dir))
}
