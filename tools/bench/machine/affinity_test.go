package machine

import (
	"testing"

	"beanfield/storage/must"
)

func TestParseCPUs(t *testing.T) {
	set, err := ParseCPUs("0,3-5,64")
	if err != nil || set[0] != 0b111001 || set[1] != 1 {
		t.Errorf("%b %v", set, err)
	}
	for _, bad := range []string{"", "a", "3-1", "-1", "0,", "99999"} {
		if _, err := ParseCPUs(bad); err == nil {
			t.Errorf("%q passed", bad)
		}
	}
}

func TestPinSelfAndBack(t *testing.T) {
	before := must.Get(OwnAffinity())
	must.Do(t, PinSelf(before))
	after, err := OwnAffinity()
	if err != nil || after != before {
		t.Errorf("%v %v", after, err)
	}
}
