#!/usr/bin/env bash
# tools/deb_root.sh NAME: makes NAME.tar in the cache folder, a small Debian 12 system, if it is not there yet.
#   build-amd64, build-arm64: with what debian/control builds with; the second compiles for arm64
#   clean-amd64, clean-arm64: minimal ones, to install into
# A change of the names in debian/control makes the build systems again. Needs root and mmdebstrap;
# clean-arm64 also a kernel that hands arm64 programs to qemu (tools/deb.sh sees to it).
set -euo pipefail
name=$1
cd "$(dirname "$0")/.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ridgewatt/deb
mkdir -p "$cache"
suite=bookworm
key=$({ echo "$name"; [[ $name == clean-* ]] || sed -n '/^Build-Depends/,/^[^ ]*Version/p' debian/control; } |
  sha256sum | cut -c1-16)
[[ -e $cache/$name.tar && $(cat "$cache/$name.key" 2>/dev/null) == "$key" ]] && exit 0
options=(--quiet --aptopt='Acquire::Languages "none"' --aptopt='APT::Install-Recommends "false"' --dpkgopt=force-unsafe-io)
# apt must find packages later too: mmdebstrap leaves its lists out unless asked to keep them.
keep=(--skip=cleanup/apt/lists)
copy='mkdir -p "$1/build/debian" && cp debian/control "$1/build/debian/"'
case $name in
  clean-*) mmdebstrap "${options[@]}" "${keep[@]}" --variant=minbase --architectures="${name#clean-}" \
    "$suite" "$cache/$name.part.tar" ;;
  build-amd64) mmdebstrap "${options[@]}" "${keep[@]}" --variant=apt --include=lintian,fakeroot \
    --customize-hook="$copy" --customize-hook='chroot "$1" apt-get -qq build-dep -y /build' \
    "$suite" "$cache/$name.part.tar" ;;
  build-arm64) mmdebstrap "${options[@]}" "${keep[@]}" --variant=apt --architectures=amd64,arm64 --include=fakeroot,crossbuild-essential-arm64 \
    --customize-hook="$copy" --customize-hook='chroot "$1" apt-get -qq build-dep -y --host-architecture arm64 -P cross,nocheck /build' \
    "$suite" "$cache/$name.part.tar" ;;
  *) echo "tools/deb_root.sh: no such root: $name" >&2; exit 1 ;;
esac
mv "$cache/$name.part.tar" "$cache/$name.tar"
rm -rf "$cache/${name#build-}"/*/obj-*  # made with another system
echo "$key" >"$cache/$name.key"
