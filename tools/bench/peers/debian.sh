#!/bin/sh
# Prints the directory with the program of a Debian package, and the package's version: / if it is installed, or one where
# apt-get has fetched the package with what it depends on, unpacked and not installed, so that no service starts. With a
# third argument, nothing is fetched.
set -e
package=$1 program=$2
[ -x "/$program" ] && echo / && { dpkg-query -W -f '${Version}' "$package" || :; } && exit
dir=${XDG_CACHE_HOME:-$HOME/.cache}/beanfield-tools/$package
if ! [ -x "$dir/$program" ]; then
	[ $# = 2 ]
	echo "fetching $package with apt-get into $dir" >&2
	mkdir -p "$dir/archives/partial"
	get() {
		apt-get install -qq -y --download-only --no-install-recommends -o Debug::NoLocking=1 \
			-o "Dir::Cache::archives=$dir/archives" "$package"
	}
	{ get || { apt-get update -qq && get; }; } >&2
	for archive in "$dir"/archives/*.deb; do dpkg-deb -x "$archive" "$dir"; done
	dpkg-deb -f "$dir/archives/${package}_"*.deb Version > "$dir/version"
	rm -r "$dir/archives"
	erl=$dir/usr/lib/erlang/bin/erl
	[ ! -f "$erl" ] || sed -i "s,=/usr/lib/erlang,=$dir/usr/lib/erlang," "$erl"
fi
echo "$dir"
cat "$dir/version"
