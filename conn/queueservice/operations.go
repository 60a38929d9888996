package queueservice

import (
	"net/http"
	"strconv"

	"beanfield/conn/access"
	"beanfield/shard/queue"
)

// commit says that items are done, for the client's group. The list may be empty.
func (q *request) commit() error { return q.onIndexes(queue.AskCommit, access.Reserve) }

// delete ends items for all groups.
func (q *request) delete() error { return q.onIndexes(queue.AskDelete, access.Delete) }

func (q *request) onIndexes(what queue.What, needs access.Rights) (err error) {
	op := q.op(what)
	f, err := q.readForm()
	if err != nil {
		return err
	}
	defer f.End()
	if !q.query.has[paramIndexes] {
		return bad("%s is missing, in the query and in the body", paramIndexes)
	}
	if f.has[paramCode] || f.has[paramReason] {
		return bad("a code or reason without %s", paramNegative)
	}
	if op.Ask.Indexes, err = q.query.indexes(); err != nil {
		return err
	}
	if !q.may(needs) {
		return errForbidden
	}
	return q.do(op)
}

// negative says that the consumer cannot process items. Code and reason are in a
// form; they may also be in the query.
func (q *request) negative() (err error) {
	op := q.op(queue.AskNegative)
	form, err := q.readForm()
	if err != nil {
		return err
	}
	defer form.End()
	if op.Ask.Indexes, err = q.query.indexes(); err != nil {
		return err
	}
	for _, from := range []*query{q.query, form.query} {
		if from.has[paramCode] {
			op.Ask.Code = from.values[paramCode]
		}
		if from.has[paramReason] {
			op.Ask.Reason = from.values[paramReason]
		}
	}
	if err := checkNegative(op.Ask.Code, op.Ask.Reason); err != nil {
		return err
	}
	if !q.may(access.Reserve) {
		return errForbidden
	}
	return q.do(op)
}

// truncate ends all items before an index for all groups.
func (q *request) truncate() (err error) {
	if !q.query.has[paramIndex] {
		return bad("%s is missing", paramIndex)
	}
	op := q.op(queue.AskTruncate)
	if op.Ask.Index, err = q.query.index(paramIndex); err != nil {
		return err
	}
	return q.do(op)
}

// dropGroup removes a group.
func (q *request) dropGroup() error {
	op := q.op(queue.AskDropGroup)
	if op.Ask.Group = q.query.values[paramGroup]; op.Ask.Group == "" || !plainName(op.Ask.Group) {
		return bad("%s is not the name of a group", paramGroup)
	}
	return q.do(op)
}

// end says that no more items come; with force, those that are there end too.
func (q *request) end(force bool) error {
	op := q.op(queue.AskEnd)
	op.Ask.Force = force
	return q.do(op)
}

// search tells where an item is, as the client's group sees it.
func (q *request) search() (err error) {
	op := q.op(queue.AskSearch)
	if op.ID, err = q.query.index(paramIndex); err != nil {
		return err
	}
	if err := q.ask(op); err != nil {
		return err
	}
	found := op.Ask.Search
	return q.answerJSON(struct {
		ConsumerId string
		IsPending  bool
		WaitCount  int
		Deliveries int
		Code       string `json:",omitempty"`
		Reason     string `json:",omitempty"`
	}{found.Consumer, found.Pending, found.WaitCount, found.Deliveries, found.Code, found.Reason})
}

// count tells how many items have the tags and, if it is given, the priority.
func (q *request) count() (err error) {
	op := q.op(queue.AskCount)
	if op.Ask.ByPri = q.query.values[paramPriority] != ""; op.Ask.ByPri {
		if op.Pri, err = priorityOf(q.query.values[paramPriority]); err != nil {
			return err
		}
	}
	if op.Ask.Tags, err = q.pack(q.query.tags); err != nil {
		return err
	}
	if err := q.ask(op); err != nil {
		return err
	}
	q.answer(http.StatusOK, typeText, strconv.AppendInt(nil, int64(op.Ask.Count), 10))
	return nil
}
