#!/usr/bin/env bash
# tools/portable_test.sh BUILD_FOLDER: creates an old arm64 system in BUILD_FOLDER (Debian 11: glibc
# 2.31, like JetPack 5), runs tools/portable_test.py there, and writes the stripped program to
# BUILD_FOLDER/ridgewatt-arm64.
set -euo pipefail
build=$(realpath "$1") root=$(realpath -m "$1/bullseye")
cd "$(dirname "$0")/.."
if [[ ! -e $root/bin/dash ]]; then
  for archive in http://deb.debian.org/debian http://archive.debian.org/debian; do
    rm -rf "$root"
    if mmdebstrap --quiet --architectures=arm64 --variant=extract --include=libc6,dash,coreutils \
      bullseye "$root" "deb $archive bullseye main"; then break; fi
  done
fi
aarch64-linux-gnu-strip -o "$build/ridgewatt-arm64" "$build/ridgewatt/ridgewatt"
host=build/ridgewatt/ridgewatt
[[ -x $host ]] || host=
/usr/bin/python3 -B tools/portable_test.py "$build/ridgewatt-arm64" "$root" ${host:+"$host"}
echo "$build/ridgewatt-arm64: $(stat -c %s "$build/ridgewatt-arm64") bytes"
