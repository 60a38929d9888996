#!/bin/bash
# usage: install.sh VERSION.deb NEWER.deb
# It runs as root in a copy of the system that is thrown away, with a network of its own:
# installs the package, serves with what is installed, upgrades it, removes it.
set -euo pipefail
old=$1 newer=$2

fail() { echo "FAILED: $*" >&2; exit 1; }
serve() { # runs the service as its unit does, as far as that goes without systemd
	setpriv --reuid=beanfield --regid=beanfield --init-groups --no-new-privs --bounding-set=-all \
		/usr/bin/beanfield -config /etc/beanfield/beanfield.toml & server=$!
	tries=0
	until beanfield stats >/dev/null 2>&1; do
		kill -0 $server || fail "the server has ended"
		[ $((tries += 1)) -lt 2000 ] || fail "the server does not answer"
	done
}
stop() { kill -TERM $server; wait $server || fail "the server ended with $?"; }

ip link set lo up
export DEBIAN_FRONTEND=noninteractive
dpkg -i "$old"

id beanfield
[ "$(stat -c '%U:%G %a' /var/lib/beanfield/data)" = "beanfield:beanfield 750" ] || fail "the data directory"
[ "$(stat -c '%U:%G %a' /etc/beanfield/beanfield.toml)" = "root:beanfield 640" ] || fail "the mode of the configuration"
systemd-analyze verify /lib/systemd/system/beanfield.service /lib/systemd/system/beanfield.socket 2>&1 |
	tee /dev/stderr | { ! grep -q beanfield; } || fail "systemd complains about a unit"
[ -L /etc/systemd/system/multi-user.target.wants/beanfield.service ] || fail "the service is not enabled"
man -l /usr/share/man/man1/beanfield.1.gz | grep -q "SYNOPSIS" || fail "the manual page"
bash -c '. /usr/share/bash-completion/completions/beanfield && complete -p beanfield' || fail "the completion"
/usr/bin/beanfield check-config /etc/beanfield/beanfield.toml >/dev/null || fail "the installed configuration"

serve
exec 3<>/dev/tcp/127.0.0.1/11300
printf 'put 0 0 60 5\r\nhello\r\n' >&3
read -r answer <&3
[ "$answer" = $'INSERTED 1\r' ] || fail "put: $answer"
kill -USR2 $server # a backup, at the place that is configured
until ls -d /var/lib/beanfield/backups/beanfield-* 2>/dev/null; do kill -0 $server; done
exec 3>&-
stop

echo '# edited by the administrator' >>/etc/beanfield/beanfield.toml
chmod 0600 /etc/beanfield/beanfield.toml
chown beanfield: /etc/beanfield/beanfield.toml
dpkg --force-confdef -i "$newer"
tail -1 /etc/beanfield/beanfield.toml | grep -q edited || fail "the upgrade has changed the configuration"
[ "$(stat -c '%U %a' /etc/beanfield/beanfield.toml)" = "beanfield 600" ] || fail "the upgrade has changed its mode"
beanfield -v | grep -q 99 || fail "the upgrade has changed nothing"

serve
exec 3<>/dev/tcp/127.0.0.1/11300
printf 'reserve\r\n' >&3
read -r answer <&3
[ "$answer" = $'RESERVED 1 5\r' ] || fail "the job after the upgrade: $answer"
exec 3>&-
stop

dpkg -P beanfield
[ ! -e /etc/beanfield/beanfield.toml ] || fail "a purge leaves the configuration"
[ -d /var/lib/beanfield/data/gen-000001 ] || fail "a purge removes jobs"
[ ! -e /etc/systemd/system/multi-user.target.wants/beanfield.service ] || fail "a purge leaves the service enabled"
echo PASSED
