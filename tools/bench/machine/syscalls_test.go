package machine

import (
	"testing"
)

func TestPerfCalls(t *testing.T) {
	n, err := perfCalls("# started on a day\n\n423456;;raw_syscalls:sys_enter;1000123;100.00;;\n")
	if err != nil || n != 423456 {
		t.Errorf("%v %v", n, err)
	}
	if _, err := perfCalls("<not supported>;;raw_syscalls:sys_enter;0;100.00;;\n"); err == nil {
		t.Error("a count that was not supported passed")
	}
}
