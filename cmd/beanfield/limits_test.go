package main

import "testing"

// The limits of the whole server hold for all tubes, come and go with a reload, which deletes nothing, and
// are met by a start that finds more.
func TestProcessLimits(t *testing.T) {
	const usual = "listen = [{ address = 'unix:DIR/s' }]\nshards = 3\n"
	p, write := configured(t, usual, "-b", t.TempDir())
	c := p.client()
	for _, tube := range []string{"a", "b", "c", "d"} {
		c.ask("put-in-tube " + tube + " 0 0 60 5\r\nhello")
	}
	write(usual + "limits.max_jobs = 3\n")
	has(t, p.reads(), "limits.max_jobs: 0 before, 3 now")
	c.expect("put-in-tube e 0 0 60 5\r\nhello", "OUT_OF_MEMORY")
	c.expect("delete 1", "DELETED")
	c.expect("put-in-tube e 0 0 60 5\r\nhello", "OUT_OF_MEMORY")
	c.expect("delete 2", "DELETED")
	c.expect("put-in-tube e 0 0 60 5\r\nhello", "INSERTED 5")
	c.expect("put-in-tube a 0 0 60 5\r\nhello", "OUT_OF_MEMORY")
	write(usual + "limits.max_bytes = 20\n")
	p.reads()
	c.expect("put-in-tube a 0 0 60 5\r\nhello", "INSERTED 6")
	c.expect("put-in-tube a 0 0 60 1\r\nx", "OUT_OF_MEMORY")
	write(usual)
	p.reads()
	c.expect("put-in-tube a 0 0 60 5\r\nhello", "INSERTED 7")
	write(usual + "limits.max_memory = '1KiB'\nlimits.max_jobs = 4\n")
	p.stop()
	c = startProcess(t, p.Args[1:]...).dial(p.dir + "/s")
	c.expect("put-in-tube a 0 0 60 5\r\nhello", "OUT_OF_MEMORY") // there are five
	c.expect("delete 3", "DELETED")
	c.expect("delete 4", "DELETED")
	c.expect("put-in-tube a 0 0 60 5\r\nhello", "INSERTED 8")
	c.expect("put-in-tube a 0 0 60 5\r\nhello", "OUT_OF_MEMORY")
	c.expect("delete 5", "DELETED")
	c.expect("put-in-tube a 0 0 60 1000\r\n"+string(make([]byte, 1000)), "OUT_OF_MEMORY")
}
