package must

import "testing"

// Do ends the test if there is an error.
func Do(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Get returns v. It panics if there is an error, since it has no test to end: so it can stand
// where a value is needed. The stack says where, and cleanups run as ever.
func Get[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Assign gives a field its value where systems do not agree on its type, as for those of an Rlimit.
func Assign[N int64 | uint64](field *N, value int) { *field = N(value) }
