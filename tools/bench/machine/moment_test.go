package machine

import (
	"testing"

	"beanfield/tools/server"
)

// What a server has written is not above either count, of those that are known.
func TestWrittenIsTheLesserCount(t *testing.T) {
	moment := func(process, disk int64) *Moment {
		return &Moment{Server: server.Usage{Written: process}, Disk: disk}
	}
	for _, test := range []struct {
		before, after *Moment
		want          int64
	}{
		{moment(1000, 5000), moment(1900, 5100), 100},
		{moment(1000, 5000), moment(1100, 5900), 100},
		{moment(1000, 0), moment(1100, 0), 100},
		{moment(0, 5000), moment(0, 5100), 100},
		{moment(0, 0), moment(0, 0), 0},
	} {
		if got := test.after.Written(test.before); got != test.want {
			t.Errorf("%+v, then %+v: %d bytes written, want %d", test.before, test.after, got, test.want)
		}
	}
}
