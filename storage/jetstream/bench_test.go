package jetstream

import (
	"bytes"
	"fmt"
	"testing"
)

// BenchmarkAppend is one append after the other, until each is acknowledged: three engines on this
// machine, each with files of its own.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{256, 32 << 10, 256 << 10} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			c := newCluster(b)
			a := c.nodes["a"]
			c.own(a)
			c.steer(a)
			body, done := bytes.Repeat([]byte{'x'}, size), make(chan error, 1)
			b.SetBytes(int64(size))
			for b.Loop() {
				a.driver.Append(body, func(_ uint64, err error) { done <- err })
				if err := <-done; err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(a.driver.State().Doubts), "doubts")
		})
	}
}
