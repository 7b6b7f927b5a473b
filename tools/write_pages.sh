#!/usr/bin/env bash
# Regenerates the pages and stubs that are derived from the sources: tools/write_pages.sh BUILD.
# Tests compare them with the output of the programs, and tools/lint.sh compares the messages with
# the sources.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$1/ridgewatt/ridgewatt
export PYTHONPATH=$1/python PYTHONDONTWRITEBYTECODE=1
made=$(mktemp)
trap 'rm -f "$made"' EXIT
# write FILE COMMAND..: writes the output of the command to the file if the command succeeds
write() { "${@:2}" >"$made" && cat "$made" >"$1"; }
write docs/reference/cli.md tools/cli_reference.py "$program"
write docs/reference/operators.md "$program" operators
write docs/reference/messages.md tools/message_reference.py
write docs/reference/python.md tools/python_reference.py docs
write python/ridgewatt/_core.pyi tools/python_reference.py stubs
write python/ridgewatt/questions.pyi tools/python_reference.py questions
write python/ridgewatt/llm.pyi tools/python_reference.py llm
write python/ridgewatt/schedule.pyi tools/python_reference.py schedule
write python/ridgewatt/live.pyi tools/python_reference.py live
tools/language_tables.py "$program"
tools/docs_nav.py
RIDGEWATT_WRITE_KEYS=1 "$1/ridgewatt/cli_test" --gtest_filter='JsonKeys.*' >/dev/null
RIDGEWATT_WRITE_KEYS=1 "$1/ridgewatt/serve_test" --gtest_filter='OpenApi.QuestionsAreThoseOfTheReference' >/dev/null
git diff --stat -- mkdocs.yml docs/guide docs/reference python/ridgewatt
