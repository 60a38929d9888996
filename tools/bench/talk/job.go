package talk

import (
	"strconv"

	"beanfield/conn/beanstalk/client"
)

// VerbDelete is what comes before an id.
const VerbDelete = "delete "

// AppendCommand is for a command about one job.
func AppendCommand(buf []byte, verb string, id uint64) []byte {
	return append(strconv.AppendUint(append(buf, verb...), id, 10), '\r', '\n')
}

func AppendPoll(b []byte, _ int) []byte { return append(b, "reserve-with-timeout 0\r\n"...) }

// DeleteAll deletes jobs, which need not be reserved for that.
func (c Client) DeleteAll(ids []uint64) error {
	return c.Stream(len(ids), func(b []byte, i int) []byte {
		return AppendCommand(b, VerbDelete, ids[i])
	}, func(r client.Reply) error {
		if r.Line != "DELETED" {
			return Answered("delete", r)
		}
		return nil
	})
}
