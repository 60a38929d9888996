// Package fakequeue is a queue for tests: as little of a server as the loads need, in
// the test's own process or in one that is started. It can be told to answer wrongly.
package fakequeue
