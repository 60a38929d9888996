package client

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestReadRawTakesWholeReplies(t *testing.T) {
	stream := []string{
		"INSERTED 1\r\n", "RESERVED 7 3\r\na\r\nb\r\n"[:len("RESERVED 7 3\r\n")+5], "FOUND 1 0\r\n\r\n",
		"OK 4\r\n---\n\r\n", "NOT_FOUND\r\n",
		"OK\r\n", "OK x\r\n", "FOUND 1\r\n", "RESERVED 1 -1\r\n", "OK 99999999999999\r\n", "\r\n",
		"junk without meaning\n",
	}
	r := bufio.NewReader(strings.NewReader(strings.Join(stream, "")))
	for _, want := range stream {
		got, err := ReadRaw(r)
		if err != nil || string(got) != want {
			t.Fatalf("read %q (%v), want %q", got, err, want)
		}
	}
	if _, err := ReadRaw(r); !errors.Is(err, io.EOF) {
		t.Fatalf("at the end: %v", err)
	}
}

func TestReadRawKeepsWhatWasCutOff(t *testing.T) {
	for _, cut := range []string{"INSERT", "FOUND 1 5\r\nab", "OK 3\r\n---\r"} {
		got, err := ReadRaw(bufio.NewReader(strings.NewReader(cut)))
		if err == nil || string(got) != cut {
			t.Errorf("read %q, %v; want %q and an error", got, err, cut)
		}
	}
}
