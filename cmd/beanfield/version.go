package main

import (
	"cmp"
	"maps"
	"runtime/debug"

	"beanfield/conn/forward"
	"beanfield/storage/cluster"
	"beanfield/storage/pebblestore"
)

// version is what -v and stats say. A release sets it, and the commit that it is made from, with
// -ldflags "-X main.version=... -X main.commit=...". The manual's page changes has an entry for it.
var version = "0.1.0"

// commit is "" in a program that is no release: the compiler may know it then.
var commit string

// madeFrom is the commit that the program was made from, as well as that is known.
func madeFrom() string {
	if commit != "" {
		return commit
	}
	said := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			said[s.Key] = s.Value
		}
	}
	from := cmp.Or(said["vcs.revision"], "unknown")
	if said["vcs.modified"] == "true" {
		from += ", and changes since"
	}
	return from
}

// formats are the versions of what this program writes, to disks and to other nodes.
func formats() map[string]int {
	all := pebblestore.Formats()
	maps.Copy(all, cluster.Formats())
	all["link"] = forward.Version
	return all
}
