#!/usr/bin/env bash
# tools/python_package.sh [BUILD_FOLDER]: builds the source archive, builds the wheel from the
# unpacked archive, installs it in a new virtual environment, and runs python/tests with it, all
# without a network. With BUILD_FOLDER, the binding is compiled against the library that this build
# installs. Without it, the wheel also compiles the library.
set -euo pipefail
cd "$(dirname "$0")/.."
python=/usr/bin/python3
export RIDGEWATT_JOBS=${RIDGEWATT_JOBS:-$(nproc)} PIP_NO_INDEX=1 PYTHONDONTWRITEBYTECODE=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
offline=()
if unshare -rn true 2>/dev/null; then offline=(unshare -rn); fi
timed() {  # NAME COMMAND...: prints its time in seconds, and its output only if it fails
  local began=$EPOCHREALTIME
  "${offline[@]}" "${@:2}" >"$work/log" 2>&1 || { tail -n 60 "$work/log"; echo "failed: $1"; exit 1; }
  awk -v name="$1" -v from="$began" -v to="$EPOCHREALTIME" 'BEGIN {printf "%-40s %6.1f s\n", name, to - from}'
}
run_tests() {  # every file of python/tests in the archive, with the installed package
  "$work/venv/bin/python" -c 'import ridgewatt._core, sys; assert ridgewatt.__file__.startswith(sys.prefix), ridgewatt'
  printf '%s\n' test_*.py |
    xargs -P "$RIDGEWATT_JOBS" -I '{}' "$work/venv/bin/python" -B -m unittest -q '{}'
}
install_wheel() {
  /usr/bin/python3 -m venv --system-site-packages "$work/venv"
  "$work/venv/bin/python" -m pip install -q --no-deps "$work"/dist/*.whl
}
export -f run_tests install_wheel
export work

settings=()
if [[ ${1:-} ]]; then
  timed "the library, installed" cmake --install "$1" --prefix "$work/prefix"
  settings=(-C "library=$work/prefix")
fi
RIDGEWATT_PROGRAM=$(realpath "${1:-build}/ridgewatt/ridgewatt") && export RIDGEWATT_PROGRAM
RIDGEWATT_SHARED=$(realpath -m ../shared) && export RIDGEWATT_SHARED
unset PYTHONPATH
front=("$python" -m build --no-isolation --skip-dependency-check -o "$work/dist")
timed "source archive" "${front[@]}" --sdist .
tar -xzf "$work"/dist/*.tar.gz -C "$work"
timed "wheel from the unpacked archive" "${front[@]}" "${settings[@]}" --wheel "$work"/ridgewatt-*/
timed "installed in a fresh environment" bash -euo pipefail -c install_wheel
cd "$work"/ridgewatt-*/python/tests
timed "tests against the installed wheel" bash -euo pipefail -c run_tests
grep -hE '^skipped|skipped=' "$work/log" | sort | uniq -c || true
echo "$(basename "$work"/dist/*.tar.gz) $(stat -c %s "$work"/dist/*.tar.gz) bytes," \
  "$(basename "$work"/dist/*.whl) $(stat -c %s "$work"/dist/*.whl) bytes"
