// Package intake fills a new data directory with jobs from somewhere else.
//
// Whoever moves jobs wants all of them or none: half a data directory that a
// server would start on is worse than none. So the store is written in a
// directory named "importing" inside the new one, where no server takes it for
// data, and moved up when it is complete and on the disk, its manifest last.
// Without the manifest nothing counts. An intake that fails removes what it has
// written; one that is killed leaves "importing" behind, which a server and the
// next intake refuse by that name.
//
// The manifest's switch is one rename inside one directory, so the new directory
// may be a mount point of its own.
package intake
