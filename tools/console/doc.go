// Package console drives the server's console in a real browser, as users do: Chromium without a
// window, over the DevTools protocol through a pipe.
//
// The test starts a server with 100,000 tubes, opens each page, performs each action, ends
// the server under a page and starts it again. It fails if a page reports an error or asks
// for too much. With -shots it also renews the pictures for the README, in shots.
//
// Scripts (steps_test.go) say line by line what the user does, and what the page must then show;
// script_test.go lists the kinds of lines. What takes more than that is a function beside them.
//
// The test takes a minute, so it runs only with -browser, as in make clients. Without Chromium it is
// then skipped, unless CI is set.
package console
