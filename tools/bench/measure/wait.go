package measure

import (
	"fmt"

	"beanfield/tools/bench/generator"
)

// WaitAuto leaves it to WaitFor.
const WaitAuto = "auto"

// WaitFor decides how the generator waits for replies. With a processor of its own it
// looks for them without pause, and the server never pays for waking it; otherwise that
// would take the server's processor from it.
func WaitFor(choice string, pinned bool) (generator.Wait, error) {
	switch w := generator.Wait(choice); {
	case w == generator.WaitSpin || w == generator.WaitEpoll:
		return w, nil
	case choice != WaitAuto:
		return "", fmt.Errorf("-wait %q: want auto, spin or epoll", choice)
	case pinned:
		return generator.WaitSpin, nil
	}
	return generator.WaitEpoll, nil
}
