package queueservice

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"beanfield/shard/queue"
)

// Names of headers, for clients that read in the attributes which ones to use.
const (
	shownUser     = "X-EAS-QueueService-Uid"
	shownGroup    = "X-EAS-QueueService-Gid"
	shownPriority = "X-EAS-QueueService-Priority"
)

// attributes tells what the queue is like. All values are strings, in JSON too.
func (q *request) attributes() error {
	op := q.op(queue.AskAttrs)
	if err := q.ask(op); err != nil {
		return err
	}
	if op.Ask.Attrs == nil {
		op.Ask.Attrs = &queue.Attrs{} // the queue does not exist
	}
	all := q.describe(op.Ask.Attrs)
	if q.wantsProtobuf() {
		q.answer(http.StatusOK, typeProtobuf, appendAttributes(nil, all))
		return nil
	}
	return q.answerJSON(all)
}

// describe gives the attributes the names that clients know. Some have two, because
// clients of different years ask for different ones.
func (q *request) describe(a *queue.Attrs) map[string]string {
	state := "OK"
	if a.Ended {
		state = "End"
	}
	length := q.limits.MaxLength
	if length == 0 {
		length = math.MaxInt64
	}
	consumers := strconv.Itoa(a.ConsumersTotal)
	all := map[string]string{
		"meta.name": q.queue, "meta.backend": q.set.Backend, "meta.state": state,
		"meta.maxPayloadBytes": strconv.Itoa(q.maxPayload()),
		"meta.header.user":     shownUser, "meta.header.userIdentifyHeader": shownUser,
		"meta.header.group": shownGroup, "meta.header.groupIdentifyHeader": shownGroup,
		"meta.header.priority": shownPriority,
		"stream.length":        strconv.Itoa(a.Length), "stream.rearLength": strconv.Itoa(a.Rear),
		"stream.approxMaxLength": strconv.Itoa(length),
		"consumers.stats.total":  consumers, "consumers.status.total": consumers,
		"groups.stats.total": strconv.Itoa(a.GroupsTotal),
	}
	for name, index := range map[string]uint64{"stream.firstEntry": a.First, "stream.lastEntry": a.Last} {
		if index > 0 {
			all[name] = strconv.FormatUint(index, 10)
		}
	}
	for i := range a.Consumers {
		all[fmt.Sprintf("consumers.list.[%d]", i)] = describeConsumer(&a.Consumers[i])
	}
	for i, g := range a.Groups {
		all[fmt.Sprintf("groups.list.[%d]", i)] = fmt.Sprintf("Id: %s, Index: %d, Pending: %d, Delivered: %d, "+
			"Consumers: %d",
			g.Group, g.Index, g.Pending, g.Delivered, g.Consumers)
	}
	return all
}

func describeConsumer(c *queue.ConsumerInfo) string {
	idle := time.Duration(c.Idle).Round(time.Millisecond)
	line := fmt.Sprintf("Id: %s.%s, Index: %d, Pending: %d, Status: %s, Idle: %v, Window: %d, Slots: %d, AutoCommit: %t",
		c.Group, c.User, c.Index, c.Pending, c.Status, idle, c.Window, c.Slots, c.AutoCommit)
	if len(c.Tags) == 0 {
		return line
	}
	var tags []string
	for k, v := range c.Tags.All() {
		tags = append(tags, string(k)+"="+string(v))
	}
	return line + ", Tags: tags[" + strings.Join(tags, " ") + "]"
}
