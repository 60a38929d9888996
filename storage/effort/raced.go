//go:build race

package effort

// Raced says that the race detector is on.
const Raced = true
