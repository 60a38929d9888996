package format

import (
	"bytes"
	"errors"

	"beanfield/storage/fold"

	"github.com/cockroachdb/pebble/v2"
)

// What a cluster has decided about its nodes is one value, under id 0 of a kind of its own. It has the prefix of other
// values, and then what the nodes keep there. A server by itself has none.
var membersKey = Key(KeyMembers, 0)

// membersOf is the change of it that a share makes, if it makes one.
func membersOf(share *fold.Share) (changes []fold.Change) {
	if share.Members == nil {
		return nil
	}
	c := fold.Change{}
	if text := share.Members.Value; text != nil {
		c.Value = sealed(KeyMembers, append(AppendHead(nil), text...))
	}
	return []fold.Change{c}
}

// Members is what a store has of the cluster's nodes; nil if it has nothing.
func Members(r pebble.Reader) ([]byte, error) {
	value, closer, err := r.Get(membersKey[:])
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	text, err := Unseal(membersKey[:], value)
	return bytes.Clone(text), err
}
