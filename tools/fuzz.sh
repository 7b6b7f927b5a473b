#!/usr/bin/env bash
# tools/fuzz.sh [TARGET [SECONDS]]: runs one fuzz target, or all of them, for SECONDS each (default
# 30).
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${2:-30}
if (($#)); then targets=("build-fuzz/ridgewatt/${1%_fuzz}_fuzz"); else targets=(build-fuzz/ridgewatt/*_fuzz); fi
for target in "${targets[@]}"; do
  [ -x "$target" ] && [ -f "$target" ] || { echo "no fuzz target $target" >&2; exit 1; }
  corpus=build-fuzz/corpus/$(basename "$target")
  mkdir -p "$corpus"
  echo "== $(basename "$target"), $seconds s"
  "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 "$corpus" 2>&1 | tail -12
done
