// Package must is for what a test only sets up, and does not test: if that fails, the test has
// nothing to say; and for what all tests write into. It is below all others, because all have tests.
package must
