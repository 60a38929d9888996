package protocol

// MostList is how long a list of jobs may be that a command has as its body, in bytes.
const MostList = 32 << 10

// IDs reads a list of jobs: plain decimal numbers with white space between them, up to MostSeveral of
// them. It appends them to ids.
func IDs(ids []uint64, list []byte) (_ []uint64, ok bool) {
	a := args{rest: list}
	for from := len(ids); ; {
		for len(a.rest) > 0 && blank(a.rest[0]) {
			a.rest = a.rest[1:]
		}
		if len(a.rest) == 0 {
			return ids, true
		}
		id := a.number(1<<64 - 1)
		if a.bad || len(a.rest) > 0 && !blank(a.rest[0]) || len(ids)-from == MostSeveral {
			return ids, false
		}
		ids = append(ids, id)
	}
}

func blank(b byte) bool { return b == ' ' || b == '\n' || b == '\r' || b == '\t' }
