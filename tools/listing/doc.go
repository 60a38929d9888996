// Package listing prints jobs, and counts them by tube, for every program that
// shows what a store holds. It stands beside the programs because it is about how
// jobs look to people; what a store needs is in package storage.
//
// A listing is text, or lines of JSON for programs. Each line of JSON is an object
// that tells its type: "job" or "tube" here, more in the programs.
package listing
