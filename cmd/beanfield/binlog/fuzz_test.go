package binlog

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// Whatever a file holds, the reader ends, stays within the file, and every record
// that it believes is really there.
func FuzzReader(f *testing.F) {
	for _, m := range []machine{amd64v7, i386v7, amd64v5, i386v5, armv5} {
		data, _ := everything(m)
		f.Add(data)
		f.Add(data[:len(data)-30])
		f.Add(append(data, zeros(100)...))
	}
	f.Add(amd64v7.file())
	f.Fuzz(func(t *testing.T, data []byte) {
		size := int64(len(data))
		r, err := newReader(bytes.NewReader(data), size)
		h := newHistory()
		for last := int64(0); err == nil; {
			var rec record
			if rec, err = r.next(); err != nil {
				break
			}
			if rec.at < last || r.at <= rec.at || r.at > size {
				t.Fatalf("record from %d to %d, the last one ended at %d of %d", rec.at, r.at, last, size)
			}
			last = r.at
			whole := rec.full && rec.flaw == "" && !rec.torn
			if end := rec.bodyAt + int64(rec.body); whole && (end != r.at || string(data[end-2:end]) != "\r\n") {
				t.Fatalf("job %d has its body at %d, %d bytes; read up to %d", rec.id, rec.bodyAt, rec.body, r.at)
			}
			h.apply(0, &rec)
		}
		var d *damage
		if !errors.Is(err, io.EOF) && !errors.As(err, &d) {
			t.Fatal(err)
		}
		if d != nil && (d.at < 0 || d.at > size) {
			t.Fatalf("damage at %d of %d", d.at, size)
		}
		for _, j := range h.settle(0) {
			if end := j.bodyAt + int64(j.Size); end+2 > size || j.ID > h.maxID {
				t.Fatalf("job %d ends at %d of %d, highest id %d", j.ID, end, size, h.maxID)
			}
		}
	})
}
