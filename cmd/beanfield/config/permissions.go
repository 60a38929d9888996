package config

import (
	"errors"
	"io/fs"
	"os/user"
	"strconv"
	"strings"
)

// Permissions are those of unix sockets: anyone who may write to one may connect.
type Permissions struct {
	Mode  fs.FileMode // 0 leaves it to the umask
	Group Group
}

// Group is a group of this machine; none if it has no name.
type Group struct {
	Name string // or number, as the configuration has it
	GID  int
}

// asGroup looks a group up now, before anything is bound.
func asGroup(v any) (Group, error) {
	name, err := asText(v)
	if err != nil || name == "" {
		return Group{}, err
	}
	number := name
	if strings.Trim(name, "0123456789") != "" {
		g, err := user.LookupGroup(name)
		var unknown user.UnknownGroupError
		if errors.As(err, &unknown) {
			return Group{}, errors.New("no such group")
		}
		if err != nil {
			return Group{}, err
		}
		number = g.Gid
	}
	gid, err := strconv.ParseUint(number, 10, 31)
	if err != nil {
		return Group{}, errors.New("not the number of a group")
	}
	return Group{name, int(gid)}, nil
}
