package measure

import (
	"fmt"
)

const (
	SpinAuto = "auto"
	spinOn   = "on"
	spinOff  = "off"
)

// Spins decides whether the generator waits for replies or keeps looking. With a
// processor of its own it looks: the server then never pays for waking it.
func Spins(choice string, pinned bool) (bool, error) {
	switch choice {
	case SpinAuto:
		return pinned, nil
	case spinOn, spinOff:
		return choice == spinOn, nil
	}
	return false, fmt.Errorf("-spin %q: want auto, on or off", choice)
}
