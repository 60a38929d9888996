// Package marked makes bodies of jobs that cannot be confused with other bodies or with damaged
// ones. tools/crash and tools/faults share it.
package marked
