// Package testserver is a beanstalk server for the tests of bench: the real one, behind a door where replies can be
// changed and commands held up (door.go), or started by a script that has it go wrong (launch.go).
package testserver
