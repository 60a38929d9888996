package server

import (
	"context"
	"os"
	"sync"
)

// A Build is the server of this module, built when somebody first asks for it: for all tests of a process.
type Build struct {
	once sync.Once
	dir  string
	path string
	err  error
}

// Program is its path.
func (b *Build) Program() (string, error) {
	b.once.Do(func() {
		if b.dir, b.err = os.MkdirTemp("", "beanfield-build-"); b.err == nil {
			b.path, b.err = Beanfield(context.Background(), b.dir)
		}
	})
	return b.path, b.err
}

// Run runs the tests of a package, and removes what was built for them.
func (b *Build) Run(tests interface{ Run() int }) int {
	defer func() { os.RemoveAll(b.dir) }()
	return tests.Run()
}
