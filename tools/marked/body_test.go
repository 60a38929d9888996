package marked

import "testing"

func TestBodies(t *testing.T) {
	for _, n := range []int{0, HeadLen - 1, HeadLen, HeadLen + 1, 65535} {
		body := Body(42, n)
		token, err := Read(body)
		if want := uint64(42); err != nil || len(body) > 0 && token != want || len(body) != n && n >= HeadLen {
			t.Errorf("%d bytes: %d, token %d, %v", n, len(body), token, err)
		}
		for _, at := range []int{0, 20, HeadLen - 1, n - 1} {
			if len(body) <= HeadLen || at == 0 {
				continue // a body that is all head has nothing to be summed; a token is compared
			}
			body[at] ^= 0x10
			if _, err := Read(body); err == nil {
				t.Errorf("%d bytes: damage at %d is not seen", n, at)
			}
			body[at] ^= 0x10
		}
	}
}
