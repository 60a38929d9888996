package main

import "fmt"

// groups: each gets every item, from where its first watch says.
func groups(x *client) {
	old := x.fill(2, "k=v")
	w := x.watch("9")
	w.wants("the first group", old...)
	x.commit(old[0])
	b := x.worker()
	job := b.put("from a worker", 1024, 0, 60)
	w.wants("the first group", job)
	y, z := x.in("second"), x.in("third")
	second := y.watch("9")
	second.wants("from the head", old[1], job)
	third, err := z.dial("_watch_=true&_window_=2&_index_=18446744073709551615")
	must(err)
	at := x.fill(3, "k=v")
	w.wants("in parallel", at...)
	second.wants("in parallel", at...)
	third.wants("its window", at[0], at[1])
	third.quiet("a full window")
	x.commit(old[1], job, at[0], at[1], at[2])
	x.Equal("a job that has passed", b.say(fmt.Sprint("peek ", job)), "NOT_FOUND")
	x.Equal("in no tube", b.stats("stats-tube "+x.queue).Get("current-jobs-reserved"), 0)
	x.Equal("length", x.length(), 5)
	y.negative("_code_=Busy&_reason_=why", at[1])
	second.wants("refused", at[1])
	x.Equal("by whom", fmt.Sprint(y.search(at[1])), fmt.Sprint(found{ConsumerId: "second.u1", IsPending: true,
		Deliveries: 2, Code: "Busy", Reason: "why"}))
	y.commit(old[1], job, at[0], at[1], at[2])
	x.Equal("length", x.length(), 3)
	third.cut()
	third = z.watch("2")
	third.wants("pending again", at[0], at[1])
	z.commit(at[0], at[1])
	third.wants("a slot", at[2])
	line := z.listed("groups", "third")
	x.Equal("group", fmt.Sprint(line["Index"], " ", line["Pending"], " ", line["Delivered"], " ", line["Consumers"]),
		fmt.Sprint(at[2], " 1 3 1"))
	z.commit(at[2])
	x.Equal("length", x.length(), 0)
	last := x.put("last", "")
	for _, one := range []*watcher{w, second, third} {
		one.wants("last", last)
	}
	x.delete(last)
	x.Equal("a delete is for all", x.length(), 0)
	x.Equal("pending", fmt.Sprint(x.pending(), y.pending(), z.pending()), "000")
	x.done("remove a group", x.ask("DELETE", "_group_=second", ""))
	second.ends("its group is removed")
	x.Equal("groups", x.attributes()["groups.stats.total"], 2)
}
