package main

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestReadReplyTakesWholeReplies(t *testing.T) {
	stream := []string{
		"INSERTED 1\r\n", "RESERVED 7 3\r\na\r\nb\r\n"[:len("RESERVED 7 3\r\n")+5], "FOUND 1 0\r\n\r\n", "OK 4\r\n---\n\r\n", "NOT_FOUND\r\n",
		"OK\r\n", "OK x\r\n", "FOUND 1\r\n", "RESERVED 1 -1\r\n", "OK 99999999999999\r\n", "\r\n", "junk without meaning\n",
	}
	r := bufio.NewReader(strings.NewReader(strings.Join(stream, "")))
	for _, want := range stream {
		got, err := readReply(r)
		if err != nil || string(got) != want {
			t.Fatalf("read %q (%v), want %q", got, err, want)
		}
	}
	if _, err := readReply(r); !errors.Is(err, io.EOF) {
		t.Fatalf("at the end: %v", err)
	}
}

func TestReadReplyKeepsWhatWasCutOff(t *testing.T) {
	for _, cut := range []string{"INSERT", "FOUND 1 5\r\nab", "OK 3\r\n---\r"} {
		got, err := readReply(bufio.NewReader(strings.NewReader(cut)))
		if err == nil || string(got) != cut {
			t.Errorf("read %q, %v; want %q and an error", got, err, cut)
		}
	}
}

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
