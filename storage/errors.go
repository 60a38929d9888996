package storage

import "errors"

// ErrNoBody says that a log does not hold the body it was asked for.
var ErrNoBody = errors.New("storage: no such body")
