#!/usr/bin/env bash
# tools/deb_build.sh ARCH: builds the packages of ARCH (amd64 with those of all architectures and the source
# package; arm64 cross-compiled) in the system build-ARCH of tools/deb_root.sh. Results lie in
# ${XDG_CACHE_HOME:-~/.cache}/ridgewatt/deb/ARCH. Objects of the last build are used again where no source changed.
# DEB_BUILD_OPTIONS are handed on (noopt: quick to compile, slow to run).
set -euo pipefail
arch=$1
cd "$(dirname "$0")/.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ridgewatt/deb
version=$(dpkg-parsechangelog -S Version)
source=$cache/$arch/ridgewatt-$version root=$cache/root-build-$arch
mkdir -p "$source"
find "$cache/$arch" -maxdepth 1 -type f -delete
# What git knows or would add, with its times, next to the objects of last time.
find "$source" -mindepth 1 -maxdepth 1 ! -name 'obj-*' -exec rm -rf {} +
for objects in "$source"/obj-*; do  # a configuration that failed is not continued
  [[ -e $objects/build.ninja ]] || rm -rf "$objects"
done
git ls-files -zco --exclude-standard --deduplicate | while IFS= read -rd '' file; do
  if [[ -e $file ]]; then printf '%s\0' "$file"; fi
done | tar -c --null -T - | tar -x --no-same-owner -C "$source"
# What pages embed is no part of the source package.
rm -rf "$cache/$arch/web-modules"
for file in echarts/dist/echarts.min.js htm/preact/standalone.module.js; do
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
