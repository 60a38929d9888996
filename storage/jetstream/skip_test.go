package jetstream

import (
	"log/slog"
	"testing"

	"beanfield/storage/turns"
)

// P2: a node begins to read at a record whose number its store has, and not far before the first that it has not.
func TestWhereReadsBegin(t *testing.T) {
	o := Options{Cluster: "test", Node: "a", Dir: t.TempDir(), Secret: "x", Nodes: addresses(t, "a"), Logger: slog.New(slog.DiscardHandler)}
	server, err := Start(limited(t), o)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	nc, err := server.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	s, err := Open(limited(t), nc, ShardOptions{Cluster: "test", Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	if place := s.readFrom(t.Context(), 0, 9); place != 0 {
		t.Errorf("of an empty lane it begins behind %d", place)
	}
	numbers := []uint64{0, 1, 2, 3, 0, 4, 5, 6, 7, 0, 0, 8, 9, 10, 11, 12} // at places 1, 2, 3 …; 0 is an epoch's record
	for _, number := range numbers {
		b, _ := turns.Append(nil, turns.Record{Origin: s.Origin(), Epoch: 1, Number: number, Turns: make([]byte, 8)})
		if _, err := nc.Request(s.subjects[0], b, mostDoubt); err != nil {
			t.Fatal(err)
		}
	}
	for number := uint64(1); number < 15; number++ {
		place := s.readFrom(t.Context(), 0, number)
		missed := 0 // what is read and was known
		for _, n := range numbers[place:] {
			if n <= number {
				missed++
			}
		}
		if place > 0 && (numbers[place] == 0 || numbers[place] > number) || missed > 2+len(numbers)/2 || number > 11 && missed != 1 {
			t.Errorf("with number %d it begins behind %d, and reads %d records that it has", number, place, missed)
		}
	}
	if err := s.ask(t.Context(), "STREAM.PURGE."+s.streams[0], map[string]int{"seq": 9}, &struct{}{}); err != nil {
		t.Fatal(err)
	}
	if place := s.readFrom(t.Context(), 0, 3); place != 0 {
		t.Errorf("of what is purged it begins behind %d", place)
	}
}
