package policy

import "testing"

// A delay doubles with each delivery up to its bound, a tenth more or less, is always the same for the
// same job, and not the same for all jobs.
func TestRetryDelays(t *testing.T) {
	r := Retry{First: second, Most: 60 * second}
	for n, want := range map[uint32]int64{1: 1, 2: 2, 3: 4, 6: 32, 7: 60, 1 << 31: 60} {
		all := map[int64]bool{}
		for id := range uint64(1000) {
			d := r.After(id, n)
			if d < want*second*9/10 || d > want*second*11/10 || d != r.After(id, n) {
				t.Fatalf("job %d waits %d after delivery %d", id, d, n)
			}
			all[d] = true
		}
		if len(all) < 300 {
			t.Errorf("a thousand jobs have %d delays after delivery %d", len(all), n)
		}
	}
	if d := (Retry{First: 10 * second}).After(7, 9); d != 10*second {
		t.Errorf("a fixed delay is %d", d)
	}
	if d := (Retry{First: 1, Most: 1 << 62}).After(0, 1<<31); d <= 0 {
		t.Errorf("the longest delay is %d", d)
	}
}
