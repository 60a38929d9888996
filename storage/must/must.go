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
