#!/bin/sh
# Builds llama.cpp's llama-bench into bin/: the libraries come from the package in package.json, the
# source of the program from the package node-llama-cpp of the same version. Needs npm, git and g++;
# takes about a minute.
#
#   tools/runtimes/llama/build.sh
set -eu
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
g++ -std=c++17 -O2 -DNDEBUG -I"$source/common" -I"$source/include" -I"$source/ggml/include" \
  -I"$source/vendor" "$source/tools/llama-bench/main.cpp" \
  "$source/tools/llama-bench/llama-bench.cpp" -o bin/llama-bench.part -Lbin \
  -l:libllama-common.so -l:libllama.v0.5.0.so -l:libggml.v0.5.0.so -l:libggml-base.so \
  -Wl,-rpath,'$ORIGIN' -lpthread
mv bin/llama-bench.part bin/llama-bench
bin/llama-bench --version >/dev/null 2>&1 || bin/llama-bench --help >/dev/null
echo "built: $(pwd)/bin/llama-bench"
