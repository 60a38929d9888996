package load

import (
	"testing"
)

func TestBodySizeFlag(t *testing.T) {
	var b BodySize
	if err := b.Set("10-64"); err != nil || b != (BodySize{10, 64}) || b.String() != "10-64" {
		t.Errorf("%v %v", b, err)
	}
	if err := b.Set("5"); err != nil || b != (BodySize{5, 5}) || b.String() != "5" {
		t.Errorf("%v %v", b, err)
	}
	for _, bad := range []string{"", "x", "5-4", "-1", "5-", "99999999999"} {
		if b.Set(bad) == nil {
			t.Errorf("%q passed", bad)
		}
	}
}
