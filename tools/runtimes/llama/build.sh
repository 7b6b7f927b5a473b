#!/bin/sh
# Builds llama.cpp's llama-bench and llama-batched-bench into bin/, with the argument `server` also
# llama-server. The libraries come from the package in package.json, and the source of the programs
# comes from the package node-llama-cpp of the same version. Needs npm, git and g++, and takes about
# a minute, with the server two to four.
#
#   tools/runtimes/llama/build.sh [server]
set -eu
case ${1:-} in
  '' | server) ;;
  *) echo "build.sh: unknown argument '$1' (only 'server')" >&2; exit 2 ;;
esac
cd "$(dirname "$0")"
version=$(sed -n 's/.*"@node-llama-cpp\/linux-x64": "\(.*\)".*/\1/p' package.json)
npm ci --ignore-scripts --no-audit --no-fund
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
(cd "$scratch" && npm pack --silent "node-llama-cpp@$version" >/dev/null && tar xzf ./*.tgz)
git -c advice.detachedHead=false clone -q "$scratch/package/llama/gitRelease.bundle" "$scratch/source"
libraries=node_modules/@node-llama-cpp/linux-x64/bins/linux-x64
rm -rf bin
mkdir bin
cp "$libraries"/*.so bin/
source=$scratch/source

compile() {  # options and a file
  g++ -std=c++17 -DNDEBUG -DLLAMA_SUBPROCESS -w -I"$source/common" -I"$source/include" \
    -I"$source/ggml/include" -I"$source/src" -I"$source/vendor" -I"$source/vendor/hash" \
    -I"$source/tools/mtmd" -I"$source/tools/server" -I"$source" -I"$scratch" "$@"
}

link() {  # a program and its objects
  program=$1
  shift
  g++ "$@" -o "bin/$program.part" -Lbin -l:libllama-common.so -l:libllama.v0.5.0.so \
    -l:libggml.v0.5.0.so -l:libggml-base.so -Wl,-rpath,'$ORIGIN' -lpthread
  mv "bin/$program.part" "bin/$program"
  "bin/$program" --version >/dev/null 2>&1 || "bin/$program" --help >/dev/null
  echo "built: $(pwd)/bin/$program"
}

for bench in llama-bench batched-bench; do
  for file in main "$bench"; do
    compile -O2 -c "$source/tools/$bench/$file.cpp" -o "$scratch/${bench}_$file.o"
  done
  link "llama-${bench#llama-}" "$scratch/${bench}"_*.o
done
[ "${1:-}" = server ] || exit 0

# The server without its web page. Images and sound are needed to link, not at run time.
for file in ui.h ui.cpp; do
  sed 's/^#cmakedefine.*//; s/@N_ASSETS@/0/; s/@USE_GZIP@/false/; s/@ASSET_[A-Z]*@//' \
    "$source/tools/ui/$file.in" > "$scratch/$file"
done
number=0
for file in "$scratch/ui.cpp" "$source"/tools/server/*.cpp "$source"/tools/mtmd/*.cpp \
  "$source"/tools/mtmd/models/*.cpp "$source"/vendor/hash/*.cpp "$source"/vendor/hash/*/*.c; do
  case $file in
    */mtmd-cli.cpp | */deprecation-warning.cpp) continue ;;
    */server/*) options=-O1 ;;
    */sha1.c) options='-O0 -x c++' ;;  # in a namespace
    *.c) options='-O0 -x c -std=gnu11' ;;
    *) options=-O0 ;;
  esac
  number=$((number + 1))
  # shellcheck disable=SC2086
  compile $options -c "$file" -o "$scratch/server_$number.o"
done
link llama-server "$scratch"/server_*.o
