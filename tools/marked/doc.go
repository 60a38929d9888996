// Package marked makes bodies of jobs that can be told from all others, and from damaged ones. It is
// shared by tools/crash and tools/faults.
package marked
