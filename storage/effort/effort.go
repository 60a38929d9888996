package effort

import (
	"flag"
	"testing"
)

// Brief says whether tests that repeat one thing, with many seeds or at many places, do it a few times only.
func Brief() bool { return Raced || testing.Short() }

var courses = flag.Int("courses", 0, "how many random courses each test tries; 0: as many as it has")

// Courses is how many random courses a test tries, of all that it has, or of a few.
func Courses(all, few int) int {
	switch {
	case *courses > 0:
		return *courses
	case Brief():
		return few
	}
	return all
}
