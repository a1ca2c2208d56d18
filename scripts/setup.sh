#!/usr/bin/env bash
# Makes a Debian or Ubuntu machine able to build Recto: installs what is missing, and nothing else.
#
# Sourced (`source scripts/setup.sh`), it also exports PATH and CARGO_TARGET_DIR to the caller; run, it
# installs and checks. Elsewhere it names the packages and installs nothing.

recto_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

recto_setup() {
  recto_set_target_dir || return 1
  recto_install_compilers || return 1
  recto_find_cargo || return 1
  recto_check_cargo || return 1
  recto_warn_of_rustflags
}

# One target folder, outside the clone, so that RocksDB is compiled once for every clone and every command.
recto_set_target_dir() {
  if [[ -z ${CARGO_TARGET_DIR:-} ]]; then
    if [[ -z ${XDG_CACHE_HOME:-${HOME:-}} ]]; then
      recto_say "HOME is not set: set HOME, or CARGO_TARGET_DIR to a folder for what is built."
      return 1
    fi
    CARGO_TARGET_DIR=${XDG_CACHE_HOME:-$HOME/.cache}/recto/target
  fi
  export CARGO_TARGET_DIR
}

recto_install_compilers() {
  local -a missing=()
  recto_has_cpp || missing+=(build-essential)
  recto_has_libclang || missing+=(clang)
  command -v curl >/dev/null || missing+=(curl)
  if ((${#missing[@]} == 0)); then return 0; fi

  if ! recto_is_debian; then
    recto_say "Missing here: ${missing[*]} (Debian's names). This script installs on Debian and Ubuntu only."
    recto_say "Fedora: sudo dnf install gcc-c++ clang-devel curl. macOS: xcode-select --install. Both untested."
    return 1
  fi
  recto_apt_install "${missing[@]}" || return 1
  if ! recto_has_cpp; then
    recto_say "${CXX:-c++} does not compile C++20, which RocksDB needs: install gcc 11 or later, and name it in CXX."
    return 1
  fi
}

# Compiles, rather than looking for a name: an old compiler and a compiler without headers both fail here.
recto_has_cpp() {
  command -v "${CC:-cc}" >/dev/null &&
    printf '#include <compare>\n#include <string>\nint main() {}\n' |
    "${CXX:-c++}" -std=c++20 -fsyntax-only -x c++ - >/dev/null 2>&1
}

# bindgen needs libclang and clang's own headers; Debian's `clang` brings both, `libclang1` alone does not.
recto_has_libclang() {
  [[ -n ${LIBCLANG_PATH:-} ]] && return 0
  command -v clang >/dev/null && return 0
  compgen -G '/usr/lib/llvm-*/lib/libclang*.so*' >/dev/null &&
    compgen -G '/usr/lib/llvm-*/lib/clang/*/include/stddef.h' >/dev/null
}

recto_find_cargo() {
  if ! command -v cargo >/dev/null && [[ -x ${CARGO_HOME:-${HOME:-}/.cargo}/bin/cargo ]]; then
    export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
  fi
  if ! command -v cargo >/dev/null; then
    if recto_is_debian && recto_apt_has rustup; then
      recto_apt_install rustup || return 1
    else
      recto_say "Rust is missing: install it as https://rustup.rs tells, then run this again."
      return 1
    fi
  fi
  # rustup from apt comes without a toolchain.
  if ! cargo --version >/dev/null 2>&1 && command -v rustup >/dev/null; then
    recto_say "Installing the stable Rust toolchain with rustup."
    rustup toolchain install stable --profile minimal --component rustfmt --component clippy || return 1
    rustup default stable || return 1
  fi
}

recto_check_cargo() {
  local have want
  want=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' "$recto_root/Cargo.toml")
  have=$(cd "$recto_root" && cargo --version 2>/dev/null | cut -d' ' -f2)
  if [[ -z $have || $(printf '%s\n%s\n' "$want" "$have" | sort -V | head -n1) != "$want" ]]; then
    recto_say "Recto needs cargo $want or later, here is ${have:-none that runs}: run 'rustup update stable' (https://rustup.rs), then this again."
    return 1
  fi
}

# RUSTFLAGS replaces .cargo/config.toml, and RocksDB is compiled apart for every set of flags.
recto_warn_of_rustflags() {
  if [[ -n ${RUSTFLAGS:-} ]]; then
    recto_say "RUSTFLAGS is set: it replaces the flags in .cargo/config.toml, and RocksDB is compiled anew for it."
  fi
}

recto_is_debian() {
  command -v apt-get >/dev/null && command -v dpkg >/dev/null
}

recto_apt_has() {
  recto_apt_update
  apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'
}

recto_apt_install() {
  local -a as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      recto_say "Neither root nor sudo here. Ask whoever is root to run: apt-get install -y $*"
      return 1
    fi
    as_root=(sudo)
  fi
  recto_say "Installing with apt-get: $*"
  recto_apt_update
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"; then
    recto_say "apt-get could not install: $*. Its own message is above."
    return 1
  fi
}

# At most once a run. A failure is no reason to stop: the lists on this machine may do.
recto_apt_update() {
  if [[ -n ${recto_apt_updated:-} ]]; then return 0; fi
  recto_apt_updated=1
  local -a as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || return 0
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -q || recto_say "apt-get update failed; going on with the package lists of before."
}

recto_say() {
  printf 'recto: %s\n' "$*" >&2
}

if ! recto_setup; then
  # `return` where this was sourced, `exit` where it was run.
  # shellcheck disable=SC2317
  return 1 2>/dev/null || exit 1
fi
