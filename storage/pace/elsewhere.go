//go:build !linux && !darwin && !freebsd

package pace

// A build for another system ends here, since all packages need this one. The compiler says why.
var _ = beanfield_runs_on_Linux_macOS_and_FreeBSD_only
