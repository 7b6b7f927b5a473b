#!/bin/sh
# run.sh BUILD TEST.mjs PACKAGE: one test that uses that npm package. If something that it needs is missing, it prints
# one line and exits with status 77.
build=$1
test=$2
package=$3
cd "$(dirname "$0")/../.." || exit 1
skip() { echo "skipped: $1"; exit 77; }
command -v node >/dev/null || skip "no node"
[ "$(node -p 'Number(process.versions.node.split(".")[0])')" -ge 18 ] || skip "node $(node --version) is older than 18"
chromium=${RIDGEWATT_CHROMIUM:-$(command -v chromium-headless-shell || command -v chromium)}
[ "$package" != playwright-core ] || [ -x "$chromium" ] || skip "no chromium-headless-shell or chromium"
[ -d "web/test/node_modules/$package" ] || skip "no web/test/node_modules/$package (./dev test fetches it)"
[ -x "$build/ridgewatt/ridgewatt-serve" ] || skip "the server was not built"
RIDGEWATT_BUILD=$build exec node --test "$test"
