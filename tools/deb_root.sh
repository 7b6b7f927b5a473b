#!/usr/bin/env bash
# tools/deb_root.sh NAME: creates NAME.tar, a small Debian 12 system, in the cache folder unless it
# exists.
#   build-amd64, build-arm64: with the build dependencies of debian/control (arm64: cross-compiled)
#   clean-amd64, clean-arm64: minimal systems, in which packages are installed
# If the dependencies in debian/control change, the build systems are created again. Needs root and
# mmdebstrap. clean-arm64 also needs a kernel that runs arm64 programs with qemu, which tools/deb.sh
# sets up.
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
# Keeps the package lists, which mmdebstrap removes by default, because apt needs them later.
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
rm -rf "$cache/${name#build-}"/*/obj-*  # objects from another system
echo "$key" >"$cache/$name.key"
