// Package effort is how much tests try: less in their short forms, and under the race detector, where everything takes
// ten times as long, and where it can find nothing in arithmetic of one goroutine.
package effort
