package marked

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
)

// A body begins with a token that no other job has, so that a put without an
// answer can be found again, its own length and a checksum of what follows.

const HeadLen = len("0000000000000001 00000000 00000000\n")

// Body makes a body of n bytes, or an empty one if n is less than the head.
func Body(token uint64, n int) []byte {
	if n < HeadLen {
		return nil
	}
	body := make([]byte, n)
	dice := rand.New(rand.NewPCG(token, 7))
	rest := body[HeadLen:]
	for i := range rest {
		rest[i] = byte(dice.Uint32())
	}
	copy(body, fmt.Sprintf("%016x %08x %08x\n", token, n, crc32.ChecksumIEEE(rest)))
	return body
}

// Read returns the token of a body that is whole. An empty body has 0.
func Read(body []byte) (token uint64, err error) {
	if len(body) == 0 {
		return 0, nil
	}
	var n, sum uint32
	if len(body) < HeadLen || body[HeadLen-1] != '\n' {
		return 0, fmt.Errorf("no head in %.40q", body)
	}
	if _, err := fmt.Fscanf(bytes.NewReader(body[:HeadLen]), "%016x %08x %08x", &token, &n, &sum); err != nil {
		return 0, fmt.Errorf("the head of %.40q: %w", body, err)
	}
	if int(n) != len(body) {
		return token, fmt.Errorf("%d bytes instead of %d", len(body), n)
	}
	if got := crc32.ChecksumIEEE(body[HeadLen:]); got != sum {
		return token, fmt.Errorf("checksum %08x instead of %08x", got, sum)
	}
	return token, nil
}
