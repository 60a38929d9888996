package queue

// MaxName is how many bytes a tube's name has at most.
const MaxName = 200

// NameByte says which bytes a tube's name may have.
var NameByte = func() (ok [256]bool) {
	for _, b := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-+/;.$_()") {
		ok[b] = true
	}
	return ok
}()

// ValidName says whether a tube may have this name.
func ValidName(name []byte) bool {
	if len(name) == 0 || len(name) > MaxName || name[0] == '-' {
		return false
	}
	for _, b := range name {
		if !NameByte[b] {
			return false
		}
	}
	return true
}
