package listing

import (
	"errors"
	"io"
	"strings"
	"testing"

	"beanfield/storage"
)

// sample lists a job of each state, in two tubes.
func sample(l *Listing) error {
	shard, body, raw := 3, []byte("é"), []byte("\xff")
	for _, e := range []Entry{
		{Job: &storage.Job{ID: 7, Tube: "mail", State: storage.Delayed, Pri: 1, Delay: 2, TTR: 3, Size: 4,
			Created: 1e15, Deadline: 2e15,
			Counters: storage.Counters{Reserves: 5, Timeouts: 6, Releases: 7, Buries: 8, Kicks: 9}}, Shard: &shard,
			Body: &raw},
		{Job: &storage.Job{ID: 8, Tube: "mail", State: storage.Buried, Size: 5, BuryRank: 10}, Body: &body},
		{Job: &storage.Job{ID: 9, Tube: "a", State: storage.Ready, Size: 6}},
		{Job: &storage.Job{ID: 10, Tube: "a", State: storage.Ready, Size: 7, Damaged: true}, Body: new([]byte)},
		{Job: &storage.Job{ID: 11, Tube: "a", State: storage.Ready, Size: 8, Damaged: true}},
	} {
		l.Add(e.Job)
		if err := l.Job(e); err != nil {
			return err
		}
	}
	if err := l.Tubes(); err != nil {
		return err
	}
	return l.Line(struct{ Type string }{"end"}, "the %s", "end")
}

func TestListing(t *testing.T) {
	const text = `7 mail delayed pri 1 delay 2 ttr 3 size 4 created 1970-01-12T13:46:40.000Z ready-at 1970-01-24T03:33:20.000Z reserves 5 timeouts 6 releases 7 buries 8 kicks 9 shard 3 "\xff"
8 mail buried pri 0 delay 0 ttr 0 size 5 created 1970-01-01T00:00:00.000Z bury-rank 10 reserves 0 timeouts 0 releases 0 buries 0 kicks 0 "é"
9 a ready pri 0 delay 0 ttr 0 size 6 created 1970-01-01T00:00:00.000Z reserves 0 timeouts 0 releases 0 buries 0 kicks 0
10 a ready pri 0 delay 0 ttr 0 size 7 created 1970-01-01T00:00:00.000Z reserves 0 timeouts 0 releases 0 buries 0 kicks 0 (the body cannot be read)
11 a ready pri 0 delay 0 ttr 0 size 8 created 1970-01-01T00:00:00.000Z reserves 0 timeouts 0 releases 0 buries 0 kicks 0
  ready  delayed  buried  jobs  bytes  tube
      3        0       0     3     21  a
      0        1       1     2      9  mail
      3        1       1     5     30  (all)
the end
`
	const json = `{"type":"job","id":7,"tube":"mail","state":"delayed","pri":1,"delay":2,"ttr":3,"size":4,"created":"1970-01-12T13:46:40.000Z","ready_at":"1970-01-24T03:33:20.000Z","reserves":5,"timeouts":6,"releases":7,"buries":8,"kicks":9,"shard":3,"body_base64":"/w=="}
{"type":"job","id":8,"tube":"mail","state":"buried","pri":0,"delay":0,"ttr":0,"size":5,"created":"1970-01-01T00:00:00.000Z","bury_rank":10,"reserves":0,"timeouts":0,"releases":0,"buries":0,"kicks":0,"body":"é"}
{"type":"job","id":9,"tube":"a","state":"ready","pri":0,"delay":0,"ttr":0,"size":6,"created":"1970-01-01T00:00:00.000Z","reserves":0,"timeouts":0,"releases":0,"buries":0,"kicks":0}
{"type":"job","id":10,"tube":"a","state":"ready","pri":0,"delay":0,"ttr":0,"size":7,"created":"1970-01-01T00:00:00.000Z","reserves":0,"timeouts":0,"releases":0,"buries":0,"kicks":0,"body_damaged":true}
{"type":"job","id":11,"tube":"a","state":"ready","pri":0,"delay":0,"ttr":0,"size":8,"created":"1970-01-01T00:00:00.000Z","reserves":0,"timeouts":0,"releases":0,"buries":0,"kicks":0}
{"type":"tube","tube":"a","ready":3,"delayed":0,"buried":0,"jobs":3,"bytes":21}
{"type":"tube","tube":"mail","ready":0,"delayed":1,"buried":1,"jobs":2,"bytes":9}
{"Type":"end"}
`
	for asJSON, want := range map[bool]string{false: text, true: json} {
		var out strings.Builder
		l := New(&out, asJSON)
		if err := sample(l); err != nil || out.String() != want {
			t.Errorf("%v\n got %s\nwant %s", err, out.String(), want)
		}
		if want := (Count{Ready: 3, Delayed: 1, Buried: 1, Jobs: 5, Bytes: 30}); l.All != want {
			t.Errorf("counted %+v, want %+v", l.All, want)
		}
	}
}

// full takes some bytes and no more.
type full struct{ left int }

var errFull = errors.New("full")

func (f *full) Write(p []byte) (int, error) {
	if f.left < len(p) {
		return 0, errFull
	}
	f.left -= len(p)
	return len(p), nil
}

// A listing that cannot be written down to its end says so.
func TestListingFails(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		for left := 0; ; left += 40 {
			err := sample(New(&full{left}, asJSON))
			if err == nil {
				break
			}
			if !errors.Is(err, errFull) {
				t.Fatal(err)
			}
			if left > 1<<16 {
				t.Fatal("it never fits")
			}
		}
		if err := sample(New(io.Discard, asJSON)); err != nil {
			t.Error(err)
		}
	}
}
