package talk

import (
	"errors"
	"strconv"
	"time"

	"beanfield/conn/beanstalk/client"
)

// Patience is how long a server may take to notice that connections closed.
const Patience = 10 * time.Second

// VerbDelete is what comes before an id.
const VerbDelete = "delete "

// AppendCommand is for a command about one job.
func AppendCommand(buf []byte, verb string, id uint64) []byte {
	return append(strconv.AppendUint(append(buf, verb...), id, 10), '\r', '\n')
}

// EmptyTube deletes every job of a tube.
func (c Client) EmptyTube(tube string) error {
	const batch = 100
	for _, say := range []string{"watch " + tube, "ignore default"} { // that may hold other users' jobs
		if err := c.Say(say, "WATCHING "); err != nil {
			return err
		}
	}
	retry := time.NewTicker(5 * time.Millisecond)
	defer retry.Stop()
	for deadline := time.Now().Add(Patience); ; {
		ids, err := c.reserveBatch(batch)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			// What the load's connections held comes back when the server notices
			// that they have closed.
			left, err := c.Stats("stats-tube " + tube)
			if err != nil {
				return err
			}
			if left.Number("current-jobs-ready")+left.Number("current-jobs-reserved") == 0 ||
				time.Now().After(deadline) {
				break
			}
			<-retry.C
		}
		if err := c.DeleteAll(ids); err != nil {
			return err
		}
	}
	return errors.Join(c.Say("watch default", "WATCHING "), c.Say("ignore "+tube, "WATCHING "))
}

func (c Client) reserveBatch(n int) (ids []uint64, err error) {
	err = c.Stream(n, AppendPoll, func(r client.Reply) error {
		if r.Word == "RESERVED" {
			ids = append(ids, r.Number)
		} else if r.Line != "TIMED_OUT" {
			return Answered("reserve", r)
		}
		return nil
	})
	return ids, err
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
