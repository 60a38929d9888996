#!/bin/sh
# Prints where Debian's beanstalkd is: the installed one, also where PATH has no sbin, or one that is fetched with apt-get
# and unpacked into a directory of its own. Unpacking, rather than installing, starts no service and needs no rights.
set -e
for name in beanstalkd /usr/bin/beanstalkd /usr/sbin/beanstalkd; do
	command -v "$name" && exit
done
dir=${XDG_CACHE_HOME:-$HOME/.cache}/beanfield-tools
if ! [ -x "$dir/usr/bin/beanstalkd" ]; then
	echo "fetching beanstalkd with apt-get into $dir" >&2
	mkdir -p "$dir"
	cd "$dir"
	# A new system may not have its lists of packages yet.
	{ apt-get download -qq beanstalkd || { apt-get update -qq && apt-get download -qq beanstalkd; }; } >&2
	dpkg-deb -x beanstalkd_*.deb .
fi
echo "$dir/usr/bin/beanstalkd"
