// Package directory is a data directory: what lies in it, whose it is, which part of it counts,
// and what is said of one that is damaged, in use, or somebody else's.
package directory
