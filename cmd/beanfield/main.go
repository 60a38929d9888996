package main

import "os"

// version is what -v and stats say. A release sets it with
// -ldflags "-X main.version=...".
var version = "0.1.0"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
