package datadir

import (
	"path/filepath"
	"strings"
	"testing"

	"beanfield/shard/queue"
	"beanfield/storage"
	"beanfield/storage/must"
)

// fillQueues writes a directory of one shard with what the queue service keeps.
func fillQueues(t *testing.T, dir string) {
	t.Helper()
	store, logs := opened(t, dir, 1)
	l := logs[0]
	tags := queue.MakeTags(map[string]string{"requestId": "r-1", "é": "\"x\""})
	j := storage.Job{ID: 1, Tube: "S", State: storage.Ready, Created: noon, Item: &storage.Item{Tags: tags}}
	l.Put(&j)
	note := queue.MakeTags(map[string]string{"Busy": "no room"}) // packed like a code and a reason
	j.Tube, j.Item.Moved, j.Item.Rebalances, j.Item.Fate, j.Item.Note = "S;rear", true, 6, 1, note
	l.Update(&j)
	l.Put(&storage.Job{ID: 2, Tube: "S", State: storage.Passed, Created: noon,
		Item: &storage.Item{Tags: []byte{2, 0xff, 0xfe, 0}, Done: []uint32{1, 3}}})
	l.Put(&storage.Job{ID: 3, Tube: "S", State: storage.Ready, Created: noon})
	l.PutQueue(&storage.Queue{Tube: "S", First: "g", Ended: true, Next: 4, Views: []storage.View{
		{Number: 3, Name: "a view", Start: 2, Tags: queue.MakeTags(map[string]string{"k": "v"})},
	}})
	l.PutQueue(&storage.Queue{Tube: "noted", Notes: []storage.Note{{Kind: 1, Name: "nightly", Value: []byte("17")}}})
	commit(t, l)
	must.Do(t, store.Close())
}

// A dump shows the queues with their groups, and what the jobs have for the queue
// service; and so does a dump of what was salvaged, where a job that was moved has been
// put where it is.
func TestQueues(t *testing.T) {
	dir, fresh := t.TempDir(), filepath.Join(t.TempDir(), "new")
	fillQueues(t, dir)
	job := func(rest string) string {
		return rest + " reserves 0 timeouts 0 releases 0 buries 0 kicks 0"
	}
	want := `queue S first-group "g" ended view 3 "a view" from 2 shard 0
queue noted first-group "" note 1 "nightly" "17" shard 0
` + job("1 S;rear ready pri 0 delay 0 ttr 0 size 0 created 2023-11-14T22:13:20.000Z") +
		` item {"tags":{"requestId":"r-1","é":"\"x\""},"moved":true,"rebalances":6,"dead_letter":"rear","negative":{"code":"Busy","reason":"no room"}} shard 0
` + job("2 S passed pri 0 delay 0 ttr 0 size 0 created 2023-11-14T22:13:20.000Z") +
		` item {"tags_base64":"Av/+AA==","done":[1,3]} shard 0
` + job("3 S ready pri 0 delay 0 ttr 0 size 0 created 2023-11-14T22:13:20.000Z") + ` shard 0
  ready  delayed  buried  passed  jobs  bytes  tube
      1        0       0       1     2      0  S
      1        0       0       0     1      0  S;rear
      2        0       0       1     3      0  (all)
shards 1, highest id 3
`
	if status, stdout, stderr := command(dir); status != 0 || stdout != want {
		t.Errorf("status %d %s\n got %s\nwant %s", status, stderr, stdout, want)
	}
	_, stdout, _ := command("-json", dir)
	for _, line := range []string{
		`{"type":"queue","tube":"S","first":"g","ended":true,"next_view":4,"views":[{"number":3,"group":"a view","start":2,"tags":{"k":"v"}}],"shard":0}`,
		`{"type":"queue","tube":"noted","next_view":0,"notes":[{"kind":1,"name":"nightly","value":"MTc="}],"shard":0}`,
		`"kicks":0,"tags":{"requestId":"r-1","é":"\"x\""},"moved":true,"rebalances":6,"dead_letter":"rear","negative":{"code":"Busy","reason":"no room"},"shard":0}`,
		`"tags_base64":"Av/+AA==","done":[1,3],"shard":0}`,
		`{"type":"tube","tube":"S","ready":1,"delayed":0,"buried":0,"passed":1,"jobs":2,"bytes":0}`,
	} {
		if !strings.Contains(stdout, line) {
			t.Errorf("no %s in\n%s", line, stdout)
		}
	}
	if _, summary, _ := command("-summary", dir); strings.Contains(summary, "queue ") {
		t.Errorf("the summary has queues:\n%s", summary)
	}
	if status, stdout, stderr := command("-salvage", fresh, dir); status != 0 ||
		!strings.Contains(stdout, "copied 3 jobs to "+fresh+", and the groups of 2 queues\n") {
		t.Errorf("salvage: status %d, %s%s", status, stdout, stderr)
	}
	_, stdout, stderr := command(fresh)
	for line := range strings.Lines(strings.Replace(want, `"moved":true,`, "", 1)) {
		line, _, _ = strings.Cut(line, " shard ") // there may be more of them
		if !strings.Contains(stdout, strings.TrimSuffix(line, "\n")) && !strings.HasPrefix(line, "shards ") {
			t.Errorf("salvaged: no %s in\n%s%s", line, stdout, stderr)
		}
	}
}
