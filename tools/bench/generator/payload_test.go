package generator

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"beanfield/tools/bench/load"
)

func TestPayload(t *testing.T) {
	p := NewPayload(load.Sizes(12, 12), 2, 1)
	want := "put 1024 0 60 12\r\nabcdefghijkl\r\n"
	if string(p.batch) != want+want {
		t.Errorf("%q", p.batch)
	}
	stamped := p.appendStamped([]byte("x"), 0, 77)
	body := stamped[1+p.stamp[0] : len(stamped)-2]
	if stampOf(body) != 77 || !p.Intact(body) || string(body[8:]) != "ijkl" {
		t.Errorf("%q", stamped)
	}
	if key := string(p.appendKeyed(nil, 0, 7, 'k', 8)); key != "put-with 12 pri=7 ttr=60 key=k8\r\nabcdefghijkl\r\n" {
		t.Errorf("%q", key)
	}
	if p.Intact(body[:11]) || p.Intact([]byte("abcdefghijkX")) {
		t.Error("a body that was not put passed")
	}
}

func TestPayloadSizesSpreadOverDoublings(t *testing.T) {
	size := load.Sizes(10, 65535)
	r := rand.New(rand.NewPCG(1, 1))
	octaves := map[int]int{}
	for range 10_000 {
		n := size.Draw(r)
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
	a, b := NewPayload(size, 1, 9), NewPayload(size, 1, 9)
	for i := range a.single {
		if !bytes.Equal(a.single[i], b.single[i]) {
			t.Fatal("one seed gives two payloads")
		}
	}
}
