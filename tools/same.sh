#!/usr/bin/env bash
# Compares the output of this tree's program with that of a base, which is a program or a commit. A
# commit is built once, in build-same/COMMIT. Called by ./dev same, which builds the program of this
# tree.
set -euo pipefail
cd "$(dirname "$0")/.."
base=${1:-origin/main}
if [[ ! -x $base ]]; then
  commit=$(git rev-parse --short=12 --verify "$base^{commit}")
  tree=build-same/$commit
  [[ -d $tree ]] || git clone --quiet --shared --no-checkout . "$tree"
  git -C "$tree" checkout --quiet --detach "$commit"
  cmake -S "$tree" --preset default -DRIDGEWATT_TESTS=OFF -DRIDGEWATT_PYTHON=OFF \
    -DRIDGEWATT_WEB_MODULES="$PWD/web/node_modules" >/dev/null
  cmake --build "$tree/build" -j "${RIDGEWATT_JOBS:-$(nproc)}" --target ridgewatt ridgewatt_lab
  base=$tree/build/ridgewatt/ridgewatt
fi
mkdir -p build-same
tools/same_outputs.py record "$base" build-same/base --jobs 2 --slowest 0
tools/same_outputs.py record build/ridgewatt/ridgewatt build-same/now --jobs 2 --slowest 0
tools/same_outputs.py compare build-same/base build-same/now "${@:2}"
