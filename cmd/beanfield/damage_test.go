package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// largeSize is above the size from which a body is in a table of its own before its put
// is answered. Nothing rewrites that table.
const largeSize = 1_200_000

func largeBody(id int) []byte {
	b := make([]byte, largeSize)
	rand.NewChaCha8([32]byte{byte(id)}).Read(b)
	return b
}

// damageBody changes a byte of a body that is in a table.
func damageBody(t *testing.T, data string, id int) (table string) {
	t.Helper()
	found := must.Get(filepath.Glob(filepath.Join(data, "gen-*", "shard-*", "*.sst")))
	middle := largeBody(id)[largeSize/2 : largeSize/2+100] // the beginning and the end may be in the cache
	for _, path := range found {
		text := must.Get(os.ReadFile(path))
		at := bytes.Index(text, middle)
		if at < 0 {
			continue
		}
		f := must.Get(os.OpenFile(path, os.O_WRONLY, 0))
		defer f.Close()
		must.Get(f.WriteAt([]byte{^text[at]}, int64(at)))
		return path
	}
	t.Fatalf("the body of job %d is in no table", id)
	return ""
}

func (c *client) putLarge(id int) {
	c.t.Helper()
	c.expect(fmt.Sprintf("put 0 0 60 %d\r\n%s", largeSize, largeBody(id)), fmt.Sprintf("INSERTED %d", id))
}

// expectLarge expects a reply with a job of putLarge.
func (c *client) expectLarge(command, reply string, id int) {
	c.t.Helper()
	c.expect(command, fmt.Sprintf("%s %d %d", reply, id, largeSize))
	body := make([]byte, largeSize+2)
	if _, err := io.ReadFull(c.r, body); err != nil || !bytes.Equal(body, append(largeBody(id), "\r\n"...)) {
		c.t.Errorf("%q brings another body, %v", command, err)
	}
}

// expectQuarantined checks how many jobs are set aside, and that none is buried otherwise.
func (c *client) expectQuarantined(want string) {
	c.t.Helper()
	if got := c.stats("stats"); got["current-jobs-damaged"] != want || got["current-jobs-buried"] != want {
		c.t.Errorf("of %s buried jobs %s are damaged, want %s of %s", got["current-jobs-buried"],
			got["current-jobs-damaged"], want, want)
	}
}

// saysOnce checks that the log has one line about a job that is set aside, with its table.
func (p *process) saysOnce(job, table string) {
	p.t.Helper()
	var told []string
	for line := range strings.Lines(p.problems()) {
		if strings.Contains(line, " "+job+" ") {
			told = append(told, line)
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], "set aside") || !strings.Contains(told[0], table) {
		p.t.Errorf("it says %q, want one line with %s and %s", told, job, table)
	}
}

// A body that becomes unreadable costs its job alone, while the server runs or at a
// start: workers pass it by, whoever names it is told, it is counted, the log says it
// once, and it can be deleted.
func TestProcessSetsDamagedJobsAside(t *testing.T) {
	data := dataDir(t)
	serve := func() (*process, *client) {
		p, _ := configured(t, "storage = { backend = 'pebble', path = '"+data+"', memory_budget = 1 }\n", "-l",
			"unix:DIR/s", "-z", "2000000")
		return p, p.client()
	}
	p, c := serve()
	for id := 1; id <= 6; id++ {
		c.putLarge(id)
	}
	table := damageBody(t, data, 2)
	c.expectLarge("reserve", "RESERVED", 1)
	c.expectLarge("reserve", "RESERVED", 3)
	c.expectDamaged(2)
	p.saysOnce("job=2", table)
	c.expectLarge("reserve", "RESERVED", 4)
	for _, id := range []int{1, 3, 4} {
		c.expect(fmt.Sprintf("delete %d", id), "DELETED")
	}
	p.stop()

	table = damageBody(t, data, 5)
	p, c = serve()
	c.expectDamaged(5)
	p.saysOnce("job=5", table)
	c.expectLarge("reserve", "RESERVED", 6)
	c.putLarge(7)
	c.expectLarge("peek 7", "FOUND", 7)
	p.stop()
}

// expectDamaged checks all that one sees of a damaged job, and deletes it.
func (c *client) expectDamaged(id int) {
	c.t.Helper()
	for _, command := range []string{fmt.Sprintf("peek %d", id), fmt.Sprintf("reserve-job %d", id), "peek-buried"} {
		c.expect(command, "INTERNAL_ERROR")
	}
	c.expectQuarantined("1")
	if got := c.stats(fmt.Sprintf("stats-job %d", id)); got["state"] != "buried" {
		c.t.Errorf("job %d is %s, want buried", id, got["state"])
	}
	c.expect(fmt.Sprintf("delete %d", id), "DELETED")
	c.expect(fmt.Sprintf("peek %d", id), "NOT_FOUND")
	c.expectQuarantined("0")
}
