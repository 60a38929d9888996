package access

import (
	"fmt"
	"strings"
)

// Rights is a set of what a client may do.
type Rights uint16

// The rights. Whoever has Admin has all others on the same tubes.
const (
	Put Rights = 1 << iota
	Reserve
	Delete
	Peek
	Kick
	Pause
	Stats
	Admin

	All = Put | Reserve | Delete | Peek | Kick | Pause | Stats | Admin
)

// rightNames are their names in the configuration, in the order of the bits.
var rightNames = [...]string{"put", "reserve", "delete", "peek", "kick", "pause", "stats", "admin"}

// RightNames are the names of all rights.
func RightNames() []string { return rightNames[:] }

// ParseRight returns the right with a name.
func ParseRight(name string) (Rights, error) {
	for i, n := range rightNames {
		if n == name {
			return 1 << i, nil
		}
	}
	return 0, fmt.Errorf("%q is not a right", name)
}

// Has says whether all of the rights in want are among r.
func (r Rights) Has(want Rights) bool { return r&want == want }

// String names the rights, in the order of the configuration.
func (r Rights) String() string {
	var names []string
	for i, n := range rightNames {
		if r&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return strings.Join(names, ", ")
}
