package access

import "testing"

// Every right has a name that is read back.
func TestRightNames(t *testing.T) {
	var all Rights
	for _, n := range RightNames() {
		r, err := ParseRight(n)
		if err != nil || r.String() != n || all&r != 0 {
			t.Errorf("%s: %v, %v", n, r, err)
		}
		all |= r
	}
	if all != All {
		t.Errorf("all names together are %v", all)
	}
	for _, n := range []string{"", "PUT", "all", "put "} {
		if _, err := ParseRight(n); err == nil {
			t.Errorf("%q is a right", n)
		}
	}
	if !All.Has(Put|Admin) || Put.Has(Put|Peek) || (Put|Admin).String() != "put, admin" {
		t.Error("Has or String is wrong")
	}
}
