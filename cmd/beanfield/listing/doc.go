// Package listing prints jobs, and counts them by tube, for every program that
// shows what a store holds. It is not in package storage because it is about how
// jobs look to people, which a store does not need.
//
// A listing is text, or lines of JSON for programs. Each line of JSON is an object
// that tells its type: "job" or "tube" here, more in the programs.
package listing
