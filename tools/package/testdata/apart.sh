#!/bin/sh
# usage: apart.sh DIR COMMAND...
# Runs a command in a copy of this system: what it writes is lost, its processes end with
# it, and its network has nobody else. DIR is an empty directory; it is /given inside, with
# what it holds.
set -e
dir=$1
shift
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root
mkdir /mnt/root/given
mount --bind "$dir" /mnt/root/given
mount -t proc proc /mnt/root/proc
mount --bind /dev /mnt/root/dev
mount -t tmpfs tmpfs /mnt/root/tmp
mount -t tmpfs tmpfs /mnt/root/run
exec chroot /mnt/root "$@"
