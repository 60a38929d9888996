// Package directory is a data directory: what is in it, who uses it, which part of it counts, and
// the errors about one that is damaged, in use, or not beanfield's.
package directory
