package beanstalk

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"beanfield/storage/must"
)

// stop stops the child's process until a time has passed, and sends meanwhile what speak says.
func (c *child) stop(d time.Duration, speak func()) {
	c.t.Helper()
	end := time.Now().Add(d)
	must.Do(c.t, syscall.Kill(c.pid, syscall.SIGSTOP))
	defer syscall.Kill(c.pid, syscall.SIGCONT)
	time.Sleep(time.Until(end))
	speak()
}

// After a pause of the whole process what was due is done before the commands that have come
// meanwhile, also those about several shards; and a wait that has timed out meanwhile brings the
// job that became ready before.
func TestOverdueAfterAStop(t *testing.T) {
	t.Parallel()
	s := startChild(t, 0)
	producer, holder, waiter := dial(t, "tcp", s.address), dial(t, "tcp", s.address), dial(t, "tcp", s.address)
	var polls []*client
	for i := range 8 {
		tube := fmt.Sprint("tube", i)
		c := dial(t, "tcp", s.address)
		c.do("watch "+tube, "WATCHING 2")
		producer.do("use "+tube, "USING "+tube)
		producer.put(0, 1, 60, tube)
		polls = append(polls, c)
	}
	producer.do("use waited", "USING waited")
	waiter.watch("waited", "another", "yetanother")
	holder.do("use held", "USING held")
	holder.do("watch held", "WATCHING 2")
	held := holder.put(0, 0, 1, "held")
	holder.do("reserve", fmt.Sprintf("RESERVED %d 4\r\nheld", held))
	last := producer.put(0, 1, 60, "waited")
	waiter.send("reserve-with-timeout 1\r\n")
	eventually(t, "it waits", func() bool { return producer.stat("stats", "cmd-reserve-with-timeout") == "1" })
	s.stop(1500*time.Millisecond, func() {
		for _, c := range polls {
			c.send("reserve-with-timeout 0\r\n")
		}
		holder.send(fmt.Sprintf("touch %d\r\npeek-ready\r\n", held))
	})
	for i, c := range polls {
		if _, body := c.job("RESERVED"); body != fmt.Sprint("tube", i) {
			t.Errorf("client %d has %s", i, body)
		}
	}
	waiter.expect(fmt.Sprintf("RESERVED %d 6\r\nwaited", last))
	holder.expect("NOT_FOUND")
	holder.expect(fmt.Sprintf("FOUND %d 4\r\nheld", held))
}
