#!/usr/bin/env bash
# tools/deb_in.sh ROOT FOLDER COMMAND...: runs the command in the system ROOT, with FOLDER as
# /build. The mounts end with their namespace. AUTOPKGTEST_ARTIFACTS and DEB_BUILD_OPTIONS are
# passed on.
set -euo pipefail
exec unshare --mount --pid --fork --kill-child bash -euc '
  root=$1 folder=$2
  mkdir -p "$root/build"
  mount --bind "$folder" "$root/build"
  mount -t proc proc "$root/proc"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  cd /
  exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root DEBIAN_FRONTEND=noninteractive \
    AUTOPKGTEST_ARTIFACTS="${AUTOPKGTEST_ARTIFACTS:-}" DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-}" "${@:3}"
' - "$@"
