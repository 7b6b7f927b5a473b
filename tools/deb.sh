#!/usr/bin/env bash
# tools/deb.sh [ARCH...]: builds the Debian packages for amd64 and arm64, checks them with lintian,
# and installs, runs and removes them in clean systems. Prints the time of every step. Systems,
# packages and logs are in ${XDG_CACHE_HOME:-~/.cache}/ridgewatt/deb. Needs root and mmdebstrap, and
# for arm64 also qemu-user-static.
set -euo pipefail
cd "$(dirname "$0")/.."
arches=("$@")
(($#)) || arches=(amd64 arm64)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ridgewatt/deb
if ((EUID)); then echo "./dev deb: its systems need root: sudo ./dev deb" >&2; exit 1; fi
if [[ $(dpkg --print-architecture) != amd64 ]]; then echo "./dev deb: builds on amd64 only" >&2; exit 1; fi
for arch in "${arches[@]}"; do
  [[ $arch =~ ^(amd64|arm64)$ ]] || { echo "./dev deb: amd64 or arm64, not $arch" >&2; exit 1; }
done
mkdir -p "$cache/log"
step() {
  local began=$SECONDS
  if ! "${@:2}" >"$cache/log/$1.log" 2>&1 </dev/null; then
    tail -n 20 "$cache/log/$1.log" | cut -c1-300 >&2
    echo "./dev deb: $1 failed; all of it: $cache/log/$1.log" >&2
    exit 1
  fi
  printf '%-22s %4d s\n' "$1" $((SECONDS - began))
}

version=$(dpkg-parsechangelog -S Version)
[[ $(sed -n 's/^project(ridgewatt VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt) == "$version" ]] ||
  { echo "./dev deb: CMakeLists.txt and debian/changelog ($version) name different versions" >&2; exit 1; }

# Makes the kernel run arm64 programs with qemu until this script ends, if it does not do so
# already.
binfmt=/proc/sys/fs/binfmt_misc
run_arm64() {
  mountpoint -q $binfmt || mount -t binfmt_misc binfmt_misc $binfmt
  if grep -qs 'enabled' $binfmt/*aarch64*; then return; fi
  trap 'echo -1 >$binfmt/ridgewatt-aarch64' EXIT
  local elf='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
  local mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
  printf '%s' ":ridgewatt-aarch64:M::$elf:$mask:/usr/bin/qemu-aarch64-static:F" >$binfmt/register
}
without_foreign_code() {
  tar -tf "$cache/amd64/ridgewatt_$version.tar.xz" >"$cache/log/files" || return 1
  ! grep -E 'node_modules|\.(whl|so|a|min\.js)$' "$cache/log/files"
}
check() {  # all findings of lintian except that the package closes no bug of Debian
  local root=$cache/root-lintian status=0
  rm -rf "$root" && mkdir "$root" && tar -xf "$cache/build-amd64.tar" -C "$root" || return 1
  tools/deb_in.sh "$root" "$cache/$1" bash -c 'cd /build && lintian --allow-root --fail-on error,warning --display-info \
    --suppress-tags initial-upload-closes-no-bugs -- *.changes' || status=$?
  rm -rf --one-file-system "$root"
  return $status
}
declare -A built
# The last digits of some interval ends differ between the architectures.
same_answer() {
  python3 - "$@" <<'CODE'
import json
import sys

def differ(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) != list(b) or any(differ(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) != len(b) or any(map(differ, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) > 1e-12 * abs(a)
    return a != b

one, other = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
sys.exit(differ(one, other) and "the two architectures answer differently")
CODE
}
if [[ " ${arches[*]} " == *" arm64 "* ]]; then run_arm64; fi
for arch in amd64 "${arches[@]}"; do  # arm64 uses the packages for all architectures from amd64
  [[ -z ${built[$arch]:-} ]] || continue
  step "system-build-$arch" tools/deb_root.sh "build-$arch"
  step "build-$arch" tools/deb_build.sh "$arch"
  step "lintian-$arch" check "$arch"
  step "system-clean-$arch" tools/deb_root.sh "clean-$arch"
  step "try-$arch" tools/deb_try.sh "$arch"
  built[$arch]=1
done
step source-package without_foreign_code
if [[ -n ${built[arm64]:-} ]]; then
  step same-answer same_answer "$cache"/{amd64,arm64}/artifacts/answer.json
fi
echo "packages: $cache/amd64 $cache/arm64"
