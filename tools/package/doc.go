// Command package makes a release: the packages and archives that an administrator installs.
// make dist runs it.
//
//	go run ./tools/package [-out dist] [-arch amd64] [-targets linux/amd64,linux/arm64] [-version 1.2.3] [-commit ID]
//
// It writes these files; the packages and the container's are for one architecture:
//
//	beanfield_VERSION-1_ARCH.deb, beanfield-VERSION-1.ARCH.rpm
//	beanfield-VERSION-container-ARCH.tar.gz  what docker build needs
//	beanfield-VERSION-SYSTEM-ARCH.tar.gz     the program and its manual page, for each target
//	beanfield-VERSION-SYSTEM-ARCH.licences   what is linked into it, with the licences; also in the archive
//	SHA256SUMS
//
// Nothing is published, and no licence has been chosen for beanfield itself: both are for its owner to do. The list,
// and the notices that come with each program, say so.
//
// # Where to start reading
//
//	main.go       the steps
//	version.go    the version and the time of a release, from git
//	program.go    the programs, for each target
//	documents.go  manual page, completions, changelog
//	notices.go    what is linked in: copyright notices and licences
//	archive.go    tar archives
//	nfpm.go       packages
//	files/        other files that are installed; nfpm.yaml says where
//
// # Invariants
//
//	PK1  The same commit gives the same bytes: no time, name or path of the build machine gets
//	     into a file. All times are the commit's.
//	PK2  What is written about flags and commands comes from the program itself.
//	PK3  The service works as installed, on 127.0.0.1 only, with jobs on disk. An upgrade
//	     keeps a configuration that was edited, and no package ever removes jobs.
//
// The tests check PK1 to PK3, with lintian and with an installation in a throwaway copy of the
// system; make package runs them.
package main
