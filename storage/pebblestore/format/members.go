package format

import (
	"bytes"
	"errors"

	"github.com/cockroachdb/pebble/v2"
)

// What a cluster has decided about its nodes is kept under the key of a queue without a name, which no queue is. The
// value has the prefix of a queue's, and then what the nodes keep there. A server by itself has none.
var membersKey = []byte{KeyQueue}

// membersValue is the value that text is kept in.
func membersValue(text []byte) []byte {
	value := append([]byte{queueVersion, 0, 0, 0, 0}, text...)
	Seal(membersKey, value)
	return value
}

// Members is what a store has of the cluster's nodes; nil if it has nothing.
func Members(r pebble.Reader) ([]byte, error) {
	value, closer, err := r.Get(membersKey)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	text, err := Unseal(membersKey, value)
	return bytes.Clone(text), err
}
