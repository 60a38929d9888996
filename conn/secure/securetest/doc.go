// Package securetest makes certificates for tests: authorities, servers' and clients'.
package securetest
