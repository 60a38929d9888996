package turns

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

func drawn(t *rapid.T) Record {
	u := rapid.Uint64()
	return Record{
		Origin: u.Draw(t, "origin"), Epoch: u.Draw(t, "epoch"), Number: u.Draw(t, "number"),
		Before: u.Draw(t, "before"), Synced: u.Draw(t, "synced"), More: rapid.Bool().Draw(t, "more"),
		Rest:  rapid.Bool().Draw(t, "rest"),
		Turns: rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "turns"),
	}
}

// A record is read as it was written, whatever stands around it.
func TestRecordsAreReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawn(t)
		before := rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "earlier")
		b, hash := Append(bytes.Clone(before), r)
		length := len(b) - len(before)
		b = append(b, rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "later")...)
		got, h, n, err := Decode(b[len(before):])
		if err != nil || h != hash || n != length || n != len(r.Turns)+Overhead {
			t.Fatalf("hash %x, %d bytes, %v; want %x, %d", h, n, err, hash, length)
		}
		if !bytes.Equal(got.Turns, r.Turns) {
			t.Fatalf("turns %q, want %q", got.Turns, r.Turns)
		}
		got.Turns, r.Turns = nil, nil
		if got.Origin != r.Origin || got.Epoch != r.Epoch || got.Number != r.Number ||
			got.Before != r.Before || got.Synced != r.Synced || got.More != r.More || got.Rest != r.Rest {
			t.Fatalf("%+v, want %+v", got, r)
		}
	})
}

// No flipped bit and no cut goes unnoticed, and none makes the reader panic.
func TestDamagedRecordsAreNone(t *testing.T) {
	b, _ := Append(nil, Record{Origin: 1, Epoch: 2, Number: 3, Before: 4, Synced: 2, Turns: []byte("some turns")})
	for i := range len(b) * 8 {
		bad := bytes.Clone(b)
		bad[i/8] ^= 1 << (i % 8)
		if _, _, _, err := Decode(bad); err == nil {
			t.Errorf("bit %d of byte %d flipped: no error", i%8, i/8)
		}
	}
	for i := range len(b) {
		if _, _, _, err := Decode(b[:i:i]); err == nil {
			t.Errorf("the first %d bytes: no error", i)
		}
	}
}

// Two records of one number and different contents have different hashes, so nothing
// chains to both.
func TestHashTellsContentsApart(t *testing.T) {
	r := Record{Origin: 1, Number: 7, Turns: []byte("a")}
	_, one := Append(nil, r)
	for _, change := range []func(*Record){
		func(r *Record) { r.Turns = []byte("b") },
		func(r *Record) { r.Before = 1 },
		func(r *Record) { r.Epoch = 1 },
		func(r *Record) { r.Synced = 1 },
		func(r *Record) { r.More = true },
		func(r *Record) { r.Rest = true },
	} {
		other := r
		change(&other)
		if _, two := Append(nil, other); two == one {
			t.Errorf("%+v has the hash of %+v", other, r)
		}
	}
}

// Find steps over what only looks like the beginning of a record, over records that do
// not begin at a multiple, and over those of another log.
func TestFind(t *testing.T) {
	var b []byte
	b = append(b, Magic...)
	b = append(b, "no record"...)
	for len(b)%8 != 4 {
		b = append(b, 0)
	}
	b, _ = Append(b, Record{Origin: 9, Number: 1, Turns: []byte("askew")})
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	b, _ = Append(b, Record{Origin: 8, Number: 1, Turns: []byte("stranger")})
	want := len(b)
	b, _ = Append(b, Record{Origin: 9, Number: 2, Turns: []byte("straight")})
	if at := Find(b, 9, 0, 8); at != want {
		t.Errorf("found at %d, want %d", at, want)
	}
	if at := Find(b, 9, want+1, 8); at != -1 {
		t.Errorf("found another one at %d", at)
	}
	if at := Find(b, 9, len(b)+5, 8); at != -1 {
		t.Errorf("found one behind the end, at %d", at)
	}
}
