// Package console drives the server's console in a real browser, as its users do: Chromium
// without a window, over the DevTools protocol, which it speaks through a pipe.
//
// The test starts a server with 100,000 tubes, opens each page, performs each action, ends
// the server under a page and starts it again. It fails if a page reports an error or asks
// for too much. With -shots it also renews the pictures for the README, in shots.
//
// What the user does, and what the page must show then, is told in scripts (steps_test.go), a line each
// (script_test.go says which there are); what takes more than that is a function beside them.
//
// The test takes a minute, so it runs only with -browser, as make clients has it. Without
// Chromium it is skipped then, unless CI is set.
package console
