package load

import (
	"fmt"

	"beanfield/tools/bench/machine"
)

// Affordable refuses a backlog that would bring the machine to its knees. A job of
// the heaviest server known takes 300 bytes besides its body.
func Affordable(ld *Load) error {
	need := int64(ld.Backlog) * int64(ld.Body.Max+300)
	if have := machine.Meminfo("MemAvailable:"); have > 0 && need > have/10*7 {
		return fmt.Errorf("a backlog of %d jobs may need %d MB; %d MB are available", ld.Backlog, need>>20, have>>20)
	}
	return nil
}
