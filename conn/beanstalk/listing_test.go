package beanstalk

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// listOf is the reply to a list of tubes.
func listOf(names []string) string {
	body := "---\n"
	for _, name := range names {
		body += "- " + name + "\n"
	}
	return fmt.Sprintf("OK %d\r\n%s\r\n", len(body), body)
}

// Lists of tubes come whole, however long they are, and what was sent behind them
// is answered behind them (C1). Tubes that come and go meanwhile do not change a
// list that has begun.
func TestLongLists(t *testing.T) {
	for _, n := range []int{1, 511, 512, 513, 2048, 2049, 6000} {
		h := newHouse(t, func(o *houseOptions) { o.shards = 3 })
		c, other := h.dial(), h.dial()
		names, in := []string{"default"}, strings.Builder{}
		for i := range n {
			names = append(names, fmt.Sprintf("tube-%d", i))
			fmt.Fprintf(&in, "watch tube-%d\r\n", i)
		}
		go io.WriteString(c.nc, in.String())
		for i := range n {
			if got, want := c.line(), fmt.Sprint("WATCHING ", i+2); got != want {
				t.Fatalf("%q, want %q", got, want)
			}
		}
		c.send("list-tubes\r\nlist-tubes-watched\r\nignore default\r\nlist-tubes-watched\r\nlist-tube-used\r\n")
		other.send("use a-new-one\r\n")
		other.line()
		first := string(c.bytes(len(listOf(names))))
		if first != listOf(names) { // unless the new one came first
			rest := string(c.bytes(len(listOf(append(names, "a-new-one"))) - len(first)))
			if first+rest != listOf(append(names, "a-new-one")) {
				t.Fatalf("%d tubes: the list of all is wrong: %.100q …", n, first)
			}
		}
		last := append([]string{names[n]}, names[1:n]...) // takes the place of the first
		if err := c.compare(listOf(names) + fmt.Sprintf("WATCHING %d\r\n", n) + listOf(last) +
			"USING default\r\n"); err != nil {
			t.Fatalf("%d tubes: %v", n, err)
		}
		c.close()
		other.close()
		h.close()
	}
}

// A list that its reader does not take stops its connection only, and ends with it.
func TestListThatNobodyReads(t *testing.T) {
	h := newHouse(t)
	lazy, other := h.pair(), h.pair()
	var in strings.Builder
	const tubes = 12000 // several times what the socket takes
	for i := range tubes {
		fmt.Fprintf(&in, "watch a-tube-with-a-long-name-so-that-the-socket-is-full-%d\r\n", i)
	}
	go io.WriteString(lazy.nc, in.String())
	for range tubes {
		lazy.line()
	}
	lazy.send("list-tubes\r\nlist-tubes-watched\r\n")
	other.send("watch x\r\n")
	if got := other.line(); got != "WATCHING 2" {
		t.Error(got)
	}
	lazy.close()
	other.close()
	h.close()
}
