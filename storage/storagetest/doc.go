// Package storagetest makes jobs and queues for tests of what keeps them.
package storagetest
