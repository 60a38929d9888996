package main

import (
	"fmt"
	"testing"
	"time"

	"beanfield/conn/secure/securetest"
)

// The chain ends with the first of its certificates that does.
func TestExpiryOfChain(t *testing.T) {
	a, dir := securetest.NewAuthority(t, "authority"), t.TempDir()
	leaf, between := a.Issue("leaf", time.Now().Add(9*time.Hour)), a.Issue("between", time.Now().Add(3*time.Hour))
	file := fmt.Sprintf("[[listen]]\naddress = ':1'\ncert = '%s'\nkey = '%s'\n[[listen]]\naddress = ':2'\ncert = "+
		"'%[1]s'\nkey = '%[2]s'\n",
		securetest.Write(t, dir, "c", append(leaf.Cert, between.Cert...)), securetest.Write(t, dir, "k", leaf.Key))
	c := configOf(t, "", file)
	all := expiries(c)
	if len(all) != 1 || time.Until(all[0].Ends).Round(time.Hour) != 3*time.Hour {
		t.Errorf("%v", all)
	}
}
