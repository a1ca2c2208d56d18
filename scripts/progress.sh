#!/usr/bin/env bash
# Runs a build and tells how far RocksDB is: scripts/progress.sh cargo build --release --workspace
#
# Cargo says nothing while the build script of librocksdb-sys compiles its C++ files, which takes most of the
# time. This counts the object files that script has finished. On a terminal one line is kept up to date;
# elsewhere a line is printed every RECTO_PROGRESS_SECONDS (15). The build's own output passes through, and its
# exit status is this script's.
set -euo pipefail
shopt -s nullglob

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_dir=${CARGO_TARGET_DIR:?is set by scripts/setup.sh: source that first}/release/build

# CPU minutes of RocksDB's C++, measured with gcc 12; the optimisation level hardly matters.
readonly rocksdb_cpu_minutes=36
# C++ files of librocksdb-sys, where its own list is not found.
readonly rocksdb_files=343

if [[ -t 1 ]]; then
  tick=1
  erase=$'\r\e[K'
  [[ -n ${NO_COLOR:-} ]] || export CARGO_TERM_COLOR=always
else
  tick=${RECTO_PROGRESS_SECONDS:-15}
  erase=
fi
started=$(date +%s)
total=0
crates=0

main() {
  total=$(count_sources)
  announce
  # The build is the foreground half, so that Ctrl-C reaches the compilers too.
  "$@" 2>&1 | relay
}

# Says what is to come, before the first silence.
announce() {
  local -a built=("$build_dir"/librocksdb-sys-*/out/librocksdb.a)
  if ((${#built[@]} > 0)); then
    echo "RocksDB is compiled already (in $CARGO_TARGET_DIR). Building what is left."
    return
  fi
  local cores minutes
  cores=$(getconf _NPROCESSORS_ONLN)
  minutes=$((rocksdb_cpu_minutes / cores + 2))
  echo "RocksDB, the storage engine, is compiled from source: $total C++ files, about $minutes minutes on the $cores cores here."
  echo "That happens once: it is kept in $CARGO_TARGET_DIR for every later build. The Rust crates take a few minutes more."
}

# Passes lines through; tells the state at every tick.
relay() {
  local line='' rest='' next=$((SECONDS + tick)) status
  while true; do
    if IFS= read -r -t "$tick" line; then
      show "$rest$line"
      rest=
    else
      status=$?
      rest+=$line
      # Above 128 the time is over; else the build has closed its end.
      if ((status <= 128)); then break; fi
    fi
    if ((SECONDS >= next)); then
      report
      next=$((SECONDS + tick))
    fi
  done
  if [[ -n $rest ]]; then show "$rest"; fi
  printf '%s' "$erase"
}

show() {
  if [[ $1 == *Compiling* || $1 == *Checking* ]]; then crates=$((crates + 1)); fi
  printf '%s%s\n' "$erase" "$1"
}

report() {
  local state
  state=$(state_of_rocksdb)
  if [[ -z $state ]]; then
    state="Still building: $crates crates begun, $(duration $(($(date +%s) - started))) gone"
  fi
  if [[ -n $erase ]]; then
    printf '%s%s' "$erase" "${state:0:$((${COLUMNS:-80} - 1))}"
  else
    echo "$state"
  fi
}

# Prints nothing where RocksDB is not being compiled at this moment.
state_of_rocksdb() {
  local folder count begun gone
  folder=$(current_folder)
  if [[ -z $folder || $folder/out/librocksdb.a -nt $folder/invoked.timestamp ]]; then return; fi
  begun=$(date -r "$folder/invoked.timestamp" +%s)
  # Older than this run: another terminal's build that ours waits for, or what an interrupted one has left.
  if ((begun < started - 2)) && [[ -z $(find "$folder/out" -name '*.o' -mmin -3) ]]; then return; fi

  count=$(finished_objects "$folder")
  gone=$(($(date +%s) - begun))
  if ((count >= total)); then
    echo "RocksDB: all $total files compiled in $(duration $gone), making the library"
  elif ((count < 8)); then
    echo "RocksDB: $count of $total files compiled, $(duration $gone) gone"
  else
    echo "RocksDB: $count of $total files compiled, $(duration $gone) gone, about $((gone * (total - count) / count / 60 + 1)) min to go"
  fi
}

# The folder whose build script was started last.
current_folder() {
  local candidate newest=
  for candidate in "$build_dir"/librocksdb-sys-*/invoked.timestamp; do
    if [[ -z $newest || $candidate -nt $newest ]]; then newest=$candidate; fi
  done
  printf '%s' "${newest%/invoked.timestamp}"
}

# Objects older than the start of the build script are left from an interrupted build, and are made again.
finished_objects() {
  find "$1/out" -maxdepth 1 -name '*.o' -newer "$1/invoked.timestamp" 2>/dev/null | wc -l
}

count_sources() {
  local version list
  version=$(grep -A1 '^name = "librocksdb-sys"$' "$root/Cargo.lock" | sed -n 's/^version = "\(.*\)"$/\1/p')
  for list in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/librocksdb-sys-"$version"/rocksdb_lib_sources.txt; do
    grep -c '\.cc' "$list"
    return
  done
  echo "$rocksdb_files"
}

duration() {
  if (($1 < 60)); then
    printf '%d s' "$1"
  else
    printf '%d min %02d s' $(($1 / 60)) $(($1 % 60))
  fi
}

main "$@"
