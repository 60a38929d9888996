// Command suite runs tests of this module and shows their progress.
//
//	go run ./tools/suite test ARGS...           go test with these arguments
//	go run ./tools/suite thorough [DIR...]      the tests that have a short form, in their long form
//	go run ./tools/suite evidence               the longest checks, with a budget; writes tools/EVIDENCE.md
//
// Every few seconds a line says what has passed and what is running. If a package fails, all output of its failed
// tests is shown, and the exit code is 1.
//
// A test that calls testing.Short, or asks storage/effort, itself or in a function of its package, has a long form,
// which thorough runs without -short. long.go finds such calls, so no list of tests is needed; make test sets -short.
// A short form still tests something: it is not a skip.
//
// evidence.go has the kinds of evidence. A kind that draws from a seed is repeated with other seeds until its budget
// is used up; the others run once. A kind that is not asked for keeps its entry in EVIDENCE.md.
package main
