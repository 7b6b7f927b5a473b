#!/usr/bin/env bash
# tools/deb_build.sh ARCH: builds the packages for ARCH in the system build-ARCH of
# tools/deb_root.sh. amd64 includes the packages for all architectures and the source package; arm64
# is cross-compiled. Results are in ${XDG_CACHE_HOME:-~/.cache}/ridgewatt/deb/ARCH. Objects of the
# last build are reused if their sources did not change. DEB_BUILD_OPTIONS is passed on (noopt: fast
# to compile, slow to run).
set -euo pipefail
arch=$1
cd "$(dirname "$0")/.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ridgewatt/deb
version=$(dpkg-parsechangelog -S Version)
source=$cache/$arch/ridgewatt-$version root=$cache/root-build-$arch
mkdir -p "$source"
find "$cache/$arch" -maxdepth 1 -type f -delete
# Copies all files that git tracks or would add, with their times, next to the last build's objects.
find "$source" -mindepth 1 -maxdepth 1 ! -name 'obj-*' -exec rm -rf {} +
for objects in "$source"/obj-*; do  # removes failed configurations
  [[ -e $objects/build.ninja ]] || rm -rf "$objects"
done
git ls-files -zco --exclude-standard --deduplicate | while IFS= read -rd '' file; do
  if [[ -e $file ]]; then printf '%s\0' "$file"; fi
done | tar -c --null -T - | tar -x --no-same-owner -C "$source"
# The JavaScript that pages embed is not part of the source package.
rm -rf "$cache/$arch/web-modules"
for file in echarts-parts/echarts.min.js echarts/dist/echarts.min.js htm/preact/standalone.module.js; do
  if [[ -e web/node_modules/$file ]]; then install -Dm644 "web/node_modules/$file" "$cache/$arch/web-modules/$file"; fi
done

rm -rf "$root"
mkdir "$root"
tar -xf "$cache/build-$arch.tar" -C "$root"
trap 'rm -rf --one-file-system "$root"' EXIT
options=(--no-sign --no-pre-clean "-j${RIDGEWATT_JOBS:-$(nproc)}")
case $arch in
  arm64) options+=(--build=any --host-arch arm64 "--build-profiles=cross,nocheck") ;;
  *) options+=(--build=full) ;;
esac
tools/deb_in.sh "$root" "$cache/$arch" bash -c 'cd "$0" && exec dpkg-buildpackage "$@"' \
  "/build/ridgewatt-$version" "${options[@]}"
