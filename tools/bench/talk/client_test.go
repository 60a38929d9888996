package talk

import (
	"bytes"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"beanfield/conn/beanstalk/client"
)

// A puppet answers each command with its number, and notes how many are under way when the
// client begins to wait.
type puppet struct {
	net.Conn
	told, read int
	underWay   []int
	replies    bytes.Buffer
}

func (p *puppet) Write(b []byte) (int, error) {
	for range bytes.Count(b, []byte("\n")) {
		p.told++
		fmt.Fprintf(&p.replies, "INSERTED %d\r\n", p.told)
	}
	return len(b), nil
}

func (p *puppet) Read(b []byte) (int, error) {
	p.underWay = append(p.underWay, p.told-p.read)
	n, err := p.replies.Read(b[:min(len(b), len("INSERTED 1\r\n"))])
	p.read += bytes.Count(b[:n], []byte("\n"))
	return n, err
}

func (p *puppet) SetReadDeadline(time.Time) error  { return nil }
func (p *puppet) SetWriteDeadline(time.Time) error { return nil }

// While the client waits for a piece, the next one is with the server already.
func TestStreamKeepsTheServerBusy(t *testing.T) {
	p := &puppet{}
	c := Client{client.On(p, "the puppet", replyPatience), len("0123456789\r\n") * 2}
	var got []string
	err := c.Stream(5, func(b []byte, _ int) []byte {
		return append(b, "0123456789\r\n"...)
	}, func(r client.Reply) error {
		got = append(got, r.Line)
		return nil
	})
	if err != nil || strings.Join(got, ",") != "INSERTED 1,INSERTED 2,INSERTED 3,INSERTED 4,INSERTED 5" {
		t.Errorf("%v %v", got, err)
	}
	if fmt.Sprint(p.underWay) != "[4 3 3 2 1]" {
		t.Errorf("while it waited, the server had %v commands", p.underWay)
	}
}
