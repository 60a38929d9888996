// Package clienttest plays servers for tests of clients.
package clienttest
