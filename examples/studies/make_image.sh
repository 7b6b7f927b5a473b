#!/bin/sh
# Makes the image of the container study, NAME, from this machine's own files: a shell and the
# program to be measured with the libraries that it needs. Nothing is downloaded. ENGINE is the engine's command.
set -eu
name=$1 program=$2
engine=${ENGINE:-podman}
command -v ${engine%% *} >/dev/null || { echo "needs $engine: install it (Debian: apt-get install podman)"; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/bin" "$folder/tmp" "$folder/proc" "$folder/sys" "$folder/dev"
for file in "$program" /bin/sh $(ldd "$program" /bin/sh | grep -o '/[^ ]*' | grep -v ':$' | sort -u); do
  mkdir -p "$folder$(dirname "$file")"
  cp -L "$file" "$folder$file"
done
$engine rmi -f "$name" >/dev/null 2>&1 || true
tar -C "$folder" -c . | $engine import - "$name" >/dev/null
