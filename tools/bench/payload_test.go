package main

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

func TestPayload(t *testing.T) {
	p := newPayload(bodySize{12, 12}, 3, 2, 1)
	want := "put 1024 3 60 12\r\nabcdefghijkl\r\n"
	if string(p.batch) != want+want {
		t.Errorf("%q", p.batch)
	}
	stamped := p.appendStamped([]byte("x"), 0, 77)
	body := stamped[1+p.stamp[0] : len(stamped)-2]
	if stampOf(body) != 77 || !p.intact(body) || string(body[8:]) != "ijkl" {
		t.Errorf("%q", stamped)
	}
	if p.intact(body[:11]) || p.intact([]byte("abcdefghijkX")) {
		t.Error("a body that was not put passed")
	}
}

func TestPayloadSizesSpreadOverDoublings(t *testing.T) {
	size := bodySize{10, 65535}
	r := rand.New(rand.NewPCG(1, 1))
	octaves := map[int]int{}
	for range 10_000 {
		n := size.draw(r)
		if n < size.Min || n > size.Max {
			t.Fatalf("%d bytes", n)
		}
		for k := 0; ; k++ {
			if n < 20<<k {
				octaves[k]++
				break
			}
		}
	}
	// 12.7 doublings: about 790 of 10,000 in each whole one.
	for k := range 12 {
		if octaves[k] < 650 || octaves[k] > 930 {
			t.Errorf("%d of 10000 sizes in doubling %d", octaves[k], k)
		}
	}
	a, b := newPayload(size, 0, 1, 9), newPayload(size, 0, 1, 9)
	for i := range a.single {
		if !bytes.Equal(a.single[i], b.single[i]) {
			t.Fatal("one seed gives two payloads")
		}
	}
}

func TestBodySizeFlag(t *testing.T) {
	var b bodySize
	if err := b.Set("10-64"); err != nil || b != (bodySize{10, 64}) || b.String() != "10-64" {
		t.Errorf("%v %v", b, err)
	}
	if err := b.Set("5"); err != nil || b != (bodySize{5, 5}) || b.String() != "5" {
		t.Errorf("%v %v", b, err)
	}
	for _, bad := range []string{"", "x", "5-4", "-1", "5-", "99999999999"} {
		if b.Set(bad) == nil {
			t.Errorf("%q passed", bad)
		}
	}
}
