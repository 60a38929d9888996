// Package testserver is a beanstalk server for the tests of bench: in the test's own process,
// behind a door where replies can be changed and commands held up (door.go), or in one that
// is started and goes wrong over its restart (process.go).
package testserver
