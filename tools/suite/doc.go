// Command suite runs tests of this module and tells how far they are.
//
//	go run ./tools/suite test ARGS...           go test with these arguments
//	go run ./tools/suite thorough [DIR...]      the tests that have a shorter form, in their long one
//	go run ./tools/suite evidence               the longest checks, with a budget; writes tools/EVIDENCE.md
//
// A line says every few seconds what has passed and what runs. Of a package that fails, everything is shown that its
// failed tests have printed; then the exit code is 1.
//
// A test that asks testing.Short, by itself or by a function of its package, has a longer form: thorough runs it
// without -short. So the mark is in the code (long.go), and make test, which sets -short, and make thorough share
// nothing else. A shorter form does something: it is no skip.
//
// evidence.go has the kinds of evidence. One that draws from a seed is repeated with other seeds until its budget is
// used up; the others run once. A kind that is not asked for keeps what EVIDENCE.md says of it.
package main
