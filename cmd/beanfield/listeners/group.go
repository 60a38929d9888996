package listeners

import "beanfield/cmd/beanfield/config"

// umask is what is to hold while a socket is bound: with a chmod afterwards the socket would be
// more open for a moment than asked for. A socket that is to be a group's is closed to everybody
// until it is.
func umask(p config.Permissions, usual int) int {
	switch {
	case p.Group.Name != "":
		return 0o777
	case p.Mode != 0:
		return 0o777 &^ int(p.Mode)
	}
	return usual
}
