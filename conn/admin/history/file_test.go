package history

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/storage/must"
)

// filled is charts with something in it, and its file.
func filled(t *testing.T) (*field, *Charts, []byte) {
	f, b := newField(), newCharts()
	f.samples(t, b, 40, func(i int) { f.put("a", 20, 10); f.put("b", i, 0) })
	var file bytes.Buffer
	must.Do(t, b.encode(&file))
	return f, b, file.Bytes()
}

// A restart leaves a gap while the server is down, and nothing else is lost.
func TestRestart(t *testing.T) {
	f, b, file := filled(t)
	before := words(b.read(b.total, Hour, f.at), 10, Ready)
	again := must.Get(decode(file))
	f.at = f.at.Add(5 * time.Minute)
	f.tubes, f.turns = nil, 0
	f.samples(t, again, 2, func(int) { f.put("a", 30, 0) })
	f.shows(t, again, "", Hour, Ready, before+" | 30 60")
	f.shows(t, again, "a", Hour, Ready, words(b.read(b.tubes["a"].series, Hour, f.at), 10, Ready)+" | 30 60")
	f.shows(t, again, "a", Hour, Puts, "-"+strings.Repeat(" 2", 39)+" | - 3")
	if p := b.read(b.tubes["b"].series, Day, f.at); words(p, 300, Ready) != words(again.read(again.tubes["b"].series,
		Day, f.at)[:2], 300, Ready) {
		t.Error("the day of b is another one")
	}
}

// HI3: whatever is in the file, it is refused, or what comes of it can be used.
func TestDamagedFiles(t *testing.T) {
	_, _, file := filled(t)
	use := func(text []byte) bool {
		b, err := decode(text)
		if err != nil {
			return false
		}
		g := newField()
		g.samples(t, b, 3, func(int) { g.put("a", 1, 0) })
		for span := range spans {
			b.Total(span, g.at)
			b.Tube("a", span, g.at)
		}
		if again := new(bytes.Buffer); b.encode(again) != nil || again.Len() > mostBytes {
			t.Error("charts that were read cannot be written")
		}
		return true
	}
	if !use(file) {
		t.Fatal("the file itself is refused")
	}
	for i := 0; i < len(file); i += 97 {
		if use(file[:i]) {
			t.Errorf("%d of %d bytes are taken for a file", i, len(file))
		}
		bad := bytes.Clone(file)
		if bad[i] ^= 1 << (i % 8); use(bad) {
			t.Errorf("a wrong bit in byte %d is not noticed", i)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 { // with the right checksum
		bad := bytes.Clone(file)
		for range 1 + random.IntN(20) {
			at := len(magic) + random.IntN(len(bad)-len(magic))
			copy(bad[at:], []byte{byte(random.Uint32()), 0xff, byte(random.Uint32()), 0x7f}[:min(4, len(bad)-at)])
		}
		binary.LittleEndian.PutUint32(bad[len(bad)-4:], crc32.Checksum(bad[:len(bad)-4], castagnoli))
		use(bad)
	}
}

// What stands in the place of the file does not stop the keeper, which says so once. A file that
// is half written is never read.
func TestPlaceOfTheFile(t *testing.T) {
	_, b, file := filled(t)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string][]byte{"empty": nil, "newer": []byte("beanfield history 2\n"),
		"half": file[:len(file)/2], "text": []byte("dear diary")} {
		must.Do(t, os.WriteFile(path(name), text, 0o600))
	}
	for name, err := range map[string]error{
		"directory": os.Mkdir(path("directory"), 0o700), "pipe": syscall.Mkfifo(path("pipe"), 0o600),
		"large": os.WriteFile(path("large"), nil, 0o600),
		"link":  os.Symlink("/dev/zero", path("link")), "truncated": os.Truncate(path("large"), int64(mostBytes)+1),
	} {
		if err != nil {
			t.Fatal(name, err)
		}
	}
	for _, name := range []string{"empty", "newer", "half", "text", "directory", "pipe", "large", "link"} {
		if got, err := load(path(name)); err == nil || got != nil {
			t.Errorf("%s is read as a history", name)
		}
	}
	if b, err := load(path("nothing")); b != nil || err != nil {
		t.Errorf("no file: %v", err)
	}
	must.Do(t, b.save(path("half")))
	if got, err := load(path("half")); err != nil || len(got.tubes) != 2 {
		t.Errorf("after saving: %v", err)
	}
	if _, err := os.Lstat(path("half" + TempSuffix)); err == nil {
		t.Error("a temporary file stays")
	}
	if err := b.save(path("no/such/file")); err == nil {
		t.Error("it was saved nowhere")
	}
}

// The keeper samples when a slot begins, saves each five minutes and at its end, and complains
// once. A full disk is left alone.
func TestKeeper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newField()
		var log bytes.Buffer
		o := Options{Shards: f, Path: filepath.Join(t.TempDir(), "history"), Now: time.Now,
			Logger: slog.New(slog.NewTextHandler(&log, nil))}
		begin := func() *Keeper {
			k := Start(o)
			synctest.Wait()
			return k
		}
		saved := func() time.Time {
			b, err := load(o.Path)
			if err != nil || b == nil || len(b.Total(Hour, time.Now())) == 0 {
				return time.Time{}
			}
			list := b.Total(Hour, time.Now())
			return time.UnixMilli(list[len(list)-1].At)
		}
		f.put("a", 7, 0)
		k := begin()
		time.Sleep(4*time.Minute + 55*time.Second)
		if n := len(k.Charts().Total(Hour, time.Now())); n != 30 || !saved().IsZero() {
			t.Errorf("%d points before the fifth minute, saved at %v", n, saved())
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if at := saved(); time.Since(at) > 10*time.Second {
			t.Errorf("saved at %v, now is %v", at, time.Now())
		}
		time.Sleep(time.Minute)
		if err := k.Stop(t.Context()); err != nil || time.Since(saved()) > 10*time.Second {
			t.Errorf("at the end it was saved at %v: %v", saved(), err)
		}
		time.Sleep(time.Minute)
		f.full = true
		f.turns++
		was := saved()
		k = begin()
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		k.Stop(t.Context())
		if at := saved(); at != was {
			t.Errorf("on a full disk it was saved at %v", at)
		}
		f.full, o.Path = false, filepath.Join(t.TempDir(), "no", "history")
		k = begin()
		time.Sleep(30 * time.Minute)
		k.Stop(t.Context())
		if n := strings.Count(log.String(), "cannot be saved"); n != 1 || strings.Count(log.String(), "\n") != 1 {
			t.Errorf("%d complaints:\n%s", n, log.String())
		}
	})
}
