package main

import "testing"

func TestReplyFields(t *testing.T) {
	r := reply{raw: []byte("RESERVED 18446744073709551615 1\r\nx\r\n")}
	if id, ok := r.id(); r.word() != "RESERVED" || !ok || id != 1<<64-1 {
		t.Errorf("%s: word %q, id %d", r, r.word(), id)
	}
	r = reply{raw: []byte("OK 30\r\n---\nid: 3\ntube: a\nstate: ready\n\r\n")}
	if v, ok := r.value("state"); !ok || v != "ready" {
		t.Errorf("state is %q", v)
	}
	if _, ok := r.value("tub"); ok {
		t.Error("found a key that is not there")
	}
}
