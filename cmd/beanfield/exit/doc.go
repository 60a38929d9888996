// Package exit has the exit codes of the server's process; cmd/beanfield/doc.go explains them.
package exit
