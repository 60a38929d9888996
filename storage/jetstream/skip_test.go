package jetstream

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/storage/lanes"
	"beanfield/storage/turns"
)

// P2: a node begins to read at a record whose number its store has, and not far before the first that it has not.
func TestWhereReadsBegin(t *testing.T) {
	o := Options{Cluster: "test", Node: "a", Dir: t.TempDir(), Secret: "x", Nodes: addresses("a"),
		Logger: slog.New(slog.DiscardHandler)}
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
	// at places 1, 2, 3 …; 0 is an epoch's record
	numbers := []uint64{0, 1, 2, 3, 0, 4, 5, 6, 7, 0, 0, 8, 9, 10, 11, 12}
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
		if place > 0 && (numbers[place] == 0 || numbers[place] > number) || missed > 2+len(numbers)/2 || number > 11 &&
			missed != 1 {
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

// A lane that does not say where to begin holds up the other one, and what the driver is told, only for a while.
func TestLaneThatDoesNotSayWhereToBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := laned(t)
		m.d = newDriver(DriverOptions{
			Node: "b", Store: turns.Place{Origin: 9}, Taken: func([]lanes.Entry) {},
			Changed: func(lanes.Role, uint64, error) {}, Gap: func() {}, Broken: func(error) {},
		})
		m.d.o.Store.Number = 1 // so that it asks
		m.d.find = func(ctx context.Context, lane int, _ uint64) uint64 {
			if lane == 1 {
				<-ctx.Done()
			}
			return 0
		}
		m.d.begin(m)
		defer m.d.Close()
		time.Sleep(skipLimit + followEach)
		synctest.Wait()
		if n := m.d.State().Place.Number; n != 4 {
			t.Error("it has read up to", n)
		}
	})
}
