package stalls

import (
	"bytes"
	"fmt"

	"beanfield/tools/bench/generator"
)

// largeBlock is how much goes out at most before the neighbour is checked.
const largeBlock = 64 << 10

// large puts one job of the largest size on one connection, and reserves and deletes it
// on another. Its body repeats one block, so it need not be in memory.
func (d *disturbance) large() error {
	size := d.load.Disturb.Large
	block, came := make([]byte, largeBlock), make([]byte, largeBlock)
	for i := range block {
		block[i] = byte(i % 251) // a prime, to see what is out of place
	}
	if err := d.one.Send(fmt.Sprintf("put %d 0 %d %d", generator.JobPriority, jobTTR, size)); err != nil {
		return err
	}
	for left := size; left > 0; left -= largeBlock {
		if err := d.one.Write(block[:min(left, largeBlock)]); err != nil {
			return err
		}
	}
	if err := d.one.Send(""); err != nil {
		return err
	}
	line, err := d.one.Line()
	if err != nil {
		return err
	}
	id, ok := generator.After(line, "INSERTED ")
	if !ok {
		return fmt.Errorf("put was answered %.80q", line)
	}
	if err := d.other.Ask("reserve", fmt.Sprintf("RESERVED %d %d", id, size)); err != nil {
		return err
	}
	for at := 0; at < size; at += largeBlock {
		n := min(size-at, largeBlock)
		if err := d.other.Read(came[:n]); err != nil {
			return err
		}
		if !bytes.Equal(came[:n], block[:n]) {
			return fmt.Errorf("the body is not what was put, between %d and %d", at, at+n)
		}
	}
	if err := d.other.Answer("the body", ""); err != nil {
		return err
	}
	return d.other.Ask(fmt.Sprintf("%s%d", generator.VerbDelete, id), "DELETED")
}
