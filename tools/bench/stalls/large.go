package stalls

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/socket"
	"beanfield/tools/bench/talk"
)

// largeBlock is how much goes out at most before the neighbour is checked.
const largeBlock = 64 << 10

// dialLarge connects a producer, and a worker, which reads what comes as it is.
func (d *disturbance) dialLarge() (err error) {
	if d.one, err = talk.DialSide(d.target.Addr, &d.turn, largeBlock); err != nil {
		return err
	}
	d.ends = append(d.ends, d.one.Close)
	if d.side, err = socket.DialSide(d.target.Addr, &d.turn, largeBlock); err != nil {
		return err
	}
	d.ends = append(d.ends, func() { d.side.Close() })
	return errors.Join(d.one.MoveTo(disturbedTube), talk.NewClient(d.side, largeBlock).MoveTo(disturbedTube))
}

// large puts one job of the largest size on one connection, and reserves and deletes it
// on another. Its body repeats one block, so it need not be in memory.
func (d *disturbance) large() error {
	size := d.load.Disturb.Large
	block := make([]byte, largeBlock)
	for i := range block {
		block[i] = byte(i % 251) // a prime, to see what is out of place
	}
	if err := d.one.Tell(fmt.Sprintf("put %d 0 %d %d", generator.JobPriority, jobTTR, size)); err != nil {
		return err
	}
	for left := size; left > 0; left -= largeBlock {
		if err := d.one.Send(block[:min(left, largeBlock)]); err != nil {
			return err
		}
	}
	if err := d.one.Tell(""); err != nil {
		return err
	}
	r, err := d.one.Next()
	if err == nil && r.Word != "INSERTED" {
		err = talk.Answered("put", r)
	}
	if err != nil {
		return err
	}
	return d.reserveLarge(r.Number, size, block)
}

func (d *disturbance) reserveLarge(id uint64, size int, block []byte) error {
	in := bufio.NewReader(d.side)
	expect := func(what, want string) error {
		line, err := in.ReadString('\n')
		if err == nil && line != want {
			err = fmt.Errorf("%s was answered %.80q", what, line)
		}
		return err
	}
	if _, err := io.WriteString(d.side, "reserve\r\n"); err != nil {
		return err
	}
	if err := expect("reserve", fmt.Sprintf("RESERVED %d %d\r\n", id, size)); err != nil {
		return err
	}
	came := make([]byte, len(block))
	for at := 0; at < size; at += largeBlock {
		n := min(size-at, largeBlock)
		if _, err := io.ReadFull(in, came[:n]); err != nil {
			return err
		}
		if !bytes.Equal(came[:n], block[:n]) {
			return fmt.Errorf("the body is not what was put, between %d and %d", at, at+n)
		}
	}
	if err := expect("the body's end", "\r\n"); err != nil {
		return err
	}
	if _, err := d.side.Write(talk.AppendCommand(nil, talk.VerbDelete, id)); err != nil {
		return err
	}
	return expect("delete", "DELETED\r\n")
}
