package protocol

import "bytes"

// How lines of other protocols look.

// Version is how a request line ends, with any digits.
const Version = " HTTP/0.0"

// VersionSo returns how many bytes of version the text ends with whose last byte is b, if the text
// before b ended with n. The first byte of version is not in it a second time.
func VersionSo(n uint8, b byte) uint8 {
	if int(n) < len(Version) && (b == Version[n] || Version[n] == '0' && '0' <= b && b <= '9') {
		return n + 1
	}
	if b == Version[0] {
		return 1
	}
	return 0
}

// IsRequest says whether a line is the first one of a request: a method, a target, a version.
func IsRequest(line []byte) bool {
	n := uint8(0)
	for _, b := range line[max(0, len(line)-len(Version)):] {
		n = VersionSo(n, b)
	}
	return int(n) == len(Version) && StartsRequest(line[:len(line)-len(Version)])
}

// StartsRequest says whether a line begins with a method and a space.
func StartsRequest(line []byte) bool {
	i := bytes.IndexByte(line, ' ')
	if i <= 0 {
		return false
	}
	for _, b := range line[:i] {
		if b <= ' ' || b >= 0x7f || bytes.IndexByte([]byte(`"(),/:;<=>?@[\]{}`), b) >= 0 {
			return false
		}
	}
	return true
}

// IsHello says that a line which has not ended begins as a TLS handshake does.
func IsHello(data []byte) bool {
	return len(data) >= 3 && data[0] == 0x16 && data[1] == 3 && data[2] <= 4
}
