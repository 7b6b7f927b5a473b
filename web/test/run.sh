#!/bin/sh
# run.sh BUILD TEST.mjs: one browser test; what it needs and is not there is told in one line, with status 77.
build=$1
test=$2
cd "$(dirname "$0")/../.." || exit 1
skip() { echo "skipped: $1"; exit 77; }
command -v node >/dev/null || skip "no node"
[ "$(node -p 'Number(process.versions.node.split(".")[0])')" -ge 18 ] || skip "node $(node --version) is older than 18"
[ -x "${RIDGEWATT_CHROMIUM:-/usr/bin/chromium}" ] || skip "no ${RIDGEWATT_CHROMIUM:-/usr/bin/chromium}"
[ -d web/test/node_modules/playwright-core ] || skip "no web/test/node_modules/playwright-core (./dev test fetches it)"
[ -x "$build/ridgewatt/ridgewatt-serve" ] || skip "the server was not built"
RIDGEWATT_BUILD=$build exec node --test "$test"
