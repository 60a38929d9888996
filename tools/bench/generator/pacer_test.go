package generator

import (
	"testing"
)

func TestPacerGoesRoundTheConnections(t *testing.T) {
	// 1000 operations a second in batches of 2: a slot every 2 ms.
	p := newPacer(100, 1000, 2, 3)
	const slot = int64(2e6)
	for i := range int64(10) {
		if _, ok := p.due(100 + i*slot - 1); ok {
			t.Fatalf("slot %d was due early", i)
		}
		conn, ok := p.due(100 + i*slot)
		if !ok || conn != int(i%3) {
			t.Fatalf("slot %d: connection %d, %v; want %d", i, conn, ok, i%3)
		}
	}
}

func TestPacerDoesNotDrift(t *testing.T) {
	p := newPacer(0, 300_000, 1, 7)
	if at := p.at(300_000 * 3600); at != 3600e9 {
		t.Errorf("after an hour of slots the clock stands at %d ns", at)
	}
}

func TestPacerWithoutRate(t *testing.T) {
	if p := newPacer(0, 0, 1, 5); p.open() {
		t.Error("a closed loop has a timetable")
	}
}
