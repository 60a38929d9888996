package main

import (
	"os"
	"os/user"
	"strconv"
	"testing"

	"beanfield/storage/must"
)

func TestLookupAccount(t *testing.T) {
	self := must.Get(user.Current())
	a := must.Get(lookupAccount(self.Username))
	if strconv.Itoa(a.uid) != self.Uid || strconv.Itoa(a.gid) != self.Gid {
		t.Errorf("%s is %+v, want uid %s and gid %s", self.Username, a, self.Uid, self.Gid)
	}
	for _, name := range []string{"no-such-user", "", "0"} {
		if _, err := lookupAccount(name); err == nil || exitCode(err) != exitNoUser {
			t.Errorf("%q: %v, code %d", name, err, exitCode(err))
		}
	}
}

// An ordinary user cannot become another one, and need not become itself.
func TestBecomeWithoutRoot(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may become anybody; see TestProcessBecomesUser")
	}
	self := &account{name: "self", uid: os.Getuid(), gid: os.Getgid()}
	if err := self.become(); err != nil {
		t.Error(err)
	}
	root := &account{name: "root"}
	if err := root.become(); err == nil || exitCode(err) != exitUserChange {
		t.Errorf("became root: %v, code %d", err, exitCode(err))
	}
}
