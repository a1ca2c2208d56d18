#!/usr/bin/env bash
# Everything that is checked without running Recto: format, lints, dependencies, documentation, scripts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/setup.sh

readonly flags=(--release --locked --workspace)
readonly deny_version=0.20.2

main() {
  check "format" cargo fmt --all --check
  check "scripts" shell_scripts
  check "dependencies" dependencies
  check "lints" scripts/progress.sh cargo clippy "${flags[@]}" --all-targets -- -D warnings
  check "documentation" env RUSTDOCFLAGS="-D warnings" cargo doc "${flags[@]}" --no-deps
}

check() {
  local name=$1 began=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  # The function's own failures must end the script, so its status is not tested here.
  "$@"
  printf '== %s: fine (%d s)\n' "$name" $((SECONDS - began))
}

shell_scripts() {
  if ! command -v shellcheck >/dev/null; then
    echo "shellcheck is not installed (apt-get install shellcheck): the scripts are only parsed."
    local script
    for script in scripts/*.sh .ci/run; do bash -n "$script"; done
    return
  fi
  shellcheck --external-sources scripts/*.sh .ci/run
}

# The advisories are left out: their database comes from the network (`cargo deny check advisories`).
dependencies() {
  local deny
  deny=$(command -v cargo-deny || true)
  if [[ -z $deny ]]; then
    install_deny
    deny=$tools/bin/cargo-deny
  fi
  "$deny" --locked check licenses bans sources
}

# Kept beside the target folder. Built without its own optimisations: 90 seconds on two cores instead of many.
readonly tools=${XDG_CACHE_HOME:-$HOME/.cache}/recto/tools
install_deny() {
  if [[ $("$tools/bin/cargo-deny" --version 2>/dev/null) == "cargo-deny $deny_version" ]]; then return; fi
  echo "cargo-deny is not installed: building version $deny_version (211 crates, about 90 seconds on two cores, once)."
  env CARGO_TARGET_DIR="$tools/build" CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=1 \
    CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
    cargo install cargo-deny --version "$deny_version" --locked --root "$tools"
  rm -rf "$tools/build"
}

main "$@"
