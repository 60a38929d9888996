// Package result has what a measurement found, and how its numbers are shown.
package result
