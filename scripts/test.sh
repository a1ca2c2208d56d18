#!/usr/bin/env bash
# The whole test suite, in one profile: scripts/test.sh [filters and options of cargo-nextest or cargo test]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/setup.sh

# Every command selects the workspace: another selection picks other features, and compiles RocksDB again.
readonly flags=(--release --locked --workspace)

main() {
  # The crash tests start the real server.
  scripts/progress.sh cargo build "${flags[@]}" --bins
  if cargo nextest --version >/dev/null 2>&1; then
    with_nextest "$@"
  else
    with_cargo_test "$@"
  fi
}

with_nextest() {
  scripts/progress.sh cargo nextest run "${flags[@]}" --no-run
  if (($# == 0)); then
    cargo test "${flags[@]}" --doc
  fi
  cargo nextest run "${flags[@]}" "$@"
}

# `cargo test` closes once a binary: the sum comes last.
with_cargo_test() {
  scripts/progress.sh cargo test "${flags[@]}" --no-run
  cargo test "${flags[@]}" --no-fail-fast "$@" 2>&1 | sum_up
}

sum_up() {
  local line passed=0 failed=0 ignored=0
  while IFS= read -r line; do
    printf '%s\n' "$line"
    if [[ $line =~ ^'test result: '.*' '([0-9]+)' passed; '([0-9]+)' failed; '([0-9]+)' ignored' ]]; then
      passed=$((passed + BASH_REMATCH[1]))
      failed=$((failed + BASH_REMATCH[2]))
      ignored=$((ignored + BASH_REMATCH[3]))
    fi
  done
  printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$ignored"
}

main "$@"
