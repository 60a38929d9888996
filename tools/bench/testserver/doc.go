// Package testserver is a beanstalk server for the tests of bench: the real one, behind a proxy where replies can be
// changed and commands held up (proxy.go), or started by a script that has it go wrong (launch.go).
package testserver
