#!/usr/bin/env bash
# tools/deb_try.sh ARCH: installs the packages for ARCH in the clean system of tools/deb_root.sh,
# runs debian/tests, and removes and purges the packages. Their dependencies are installed first.
# The lists of files before and after must therefore be equal, except for files of the user.
set -euo pipefail
arch=$1
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ridgewatt/deb
work=$cache/$arch root=$cache/root-clean-$arch
version=$(dpkg-parsechangelog -l "$here/../debian/changelog" -S Version)
rm -rf "$root" "$work/artifacts" && mkdir "$root" "$work/artifacts"
tar -xf "$cache/clean-$arch.tar" -C "$root"
trap 'rm -rf --one-file-system "$root"' EXIT
inside() { "$here/deb_in.sh" "$root" "$work" "$@"; }
files() {
  inside find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /build -o -path /var/cache \
    -o -path /var/log -o -path /var/lib/apt -o -path /var/lib/dpkg \) -prune -o -print | sort
}
# left STEP FILE...: checks that exactly these files are left since before the installation.
left() {
  local found expected
  found=$(files | comm -13 "$work/artifacts/before" -)
  expected=$(printf '%s\n' "${@:2}" | sort)
  [[ $found == "$expected" ]] || { printf '%s left these files:\n%s\n' "$1" "$found"; exit 1; }
  [[ -z $(files | comm -23 "$work/artifacts/before" -) ]] || { echo "$1 took files that were there before"; exit 1; }
}

names=(ridgewatt libridgewatt-dev python3-ridgewatt ridgewatt-fleet)
tests=(program python units) needed=(man-db systemd)
# Compiling under emulation would take too long.
if [[ $arch == amd64 ]]; then tests+=(library) needed+=(cmake g++ ninja-build pkg-config); fi
if [[ $arch != amd64 ]]; then cp "$cache/amd64/ridgewatt-fleet_${version}_all.deb" "$work/"; fi
packages=() needs=()
for name in "${names[@]}"; do
  file=$(cd "$work" && echo "${name}_${version}_"*.deb)
  packages+=("/build/$file")
  [[ $name == ridgewatt-fleet ]] || needs+=("$(dpkg-deb -f "$work/$file" Depends)")
done
inside apt-get -qq update
inside apt-get -qq install -y --no-install-recommends "${needed[@]}"
inside apt-get -qq satisfy -y --no-install-recommends "${needs[@]}"
files >"$work/artifacts/before"

inside apt-get -qq install -y --no-install-recommends "${packages[@]}"
for test in "${tests[@]}"; do
  AUTOPKGTEST_ARTIFACTS=/build/artifacts inside bash -c 'cd "$0" && exec "debian/tests/$1"' \
    "/build/ridgewatt-$version" "$test"
done
inside ridgewatt sweep example --workload resnet18:training --mode-count 5 -o /root/mine.csv --quiet
inside apt-get -qq remove -y "${names[@]}"
helper=/var/lib/systemd/deb-systemd-helper-enabled  # Debian's record of units, until the purge
left "the removal" /etc/ridgewatt{,/mode.conf,/sensors.conf} /root/mine.csv \
  $helper/ridgewatt-{export,mode,sensors,serve}.service.dsh-also
inside dpkg --purge "${names[@]}"  # apt does not know removed packages
left "the purge" /root/mine.csv
echo "removed and purged: only what the user made is left"
