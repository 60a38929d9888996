package config

import (
	"os"
	"os/user"
	"strconv"
	"testing"

	"beanfield/cmd/beanfield/exit"
	"beanfield/storage/must"
)

func TestLookupAccount(t *testing.T) {
	self := must.Get(user.Current())
	a := must.Get(LookupAccount(self.Username))
	if strconv.Itoa(a.UID) != self.Uid || strconv.Itoa(a.GID) != self.Gid {
		t.Errorf("%s is %+v, want uid %s and gid %s", self.Username, a, self.Uid, self.Gid)
	}
	for _, name := range []string{"no-such-user", "", "0"} {
		if _, err := LookupAccount(name); err == nil || exit.Code(err) != exit.NoUser {
			t.Errorf("%q: %v, code %d", name, err, exit.Code(err))
		}
	}
}

// An ordinary user cannot become another one, and need not become itself.
func TestBecomeWithoutRoot(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may become anybody; see TestProcessBecomesUser")
	}
	self := &account{name: "self", UID: os.Getuid(), GID: os.Getgid()}
	if err := self.Become(); err != nil {
		t.Error(err)
	}
	root := &account{name: "root"}
	if err := root.Become(); err == nil || exit.Code(err) != exit.UserChange {
		t.Errorf("became root: %v, code %d", err, exit.Code(err))
	}
}

// Groups are named or numbered, and must exist.
func TestGroups(t *testing.T) {
	gid := strconv.Itoa(os.Getgid())
	c, err := load(t, "", "listen = [{ address = 'unix:/s', group = '"+gid+
		"' }]\nhttp.group = 'root'\nqueue.group = '0'\n")
	if err != nil || c.Listen[0].Group.GID != os.Getgid() || c.HTTP.Group != (Group{"root", 0}) ||
		c.Queue.Group != (Group{"0", 0}) {
		t.Errorf("%v, read %+v", err, c)
	}
}
