package access

import (
	"fmt"
	"testing"
)

// thousand are rules that all hold for everyone, each with a pattern of its own.
func thousand(b *testing.B) *Subject {
	var rules []Rule
	for i := range 1000 {
		rules = append(rules, Rule{Networks: everyone, May: Put, Tubes: []string{fmt.Sprintf("tube-%d-*", i)}})
	}
	return policy(b, rules...).Subject(from("10.0.0.1"))
}

// What a command pays for a look at 1,000 rules.
func BenchmarkMay(b *testing.B) {
	s := thousand(b)
	for b.Loop() {
		if s.May("tube-999-x") != Put {
			b.Fatal("not allowed")
		}
	}
}

// The first look at a tube, with 1,000 patterns to compare.
func BenchmarkMayWorkedOut(b *testing.B) {
	s := thousand(b)
	for b.Loop() {
		if s.rights.on("tube-999-x") != Put {
			b.Fatal("not allowed")
		}
	}
}
