# The commands of the README and of .ci/run, by name. `just` alone lists them.

set shell := ["bash", "-euo", "pipefail", "-c"]

# One target folder, outside the clone: RocksDB is compiled once. The same as in scripts/setup.sh.
export CARGO_TARGET_DIR := env("CARGO_TARGET_DIR", env("XDG_CACHE_HOME", home_directory() / ".cache") / "recto" / "target")

# Every command selects the workspace; another selection would compile RocksDB again (CONTRIBUTING.md).
flags := "--release --locked --workspace"
bin := CARGO_TARGET_DIR / "release"

[private]
default:
    @just --list --unsorted

# Build everything that this machine lacks, start the server, make and edit a first page
demo *args:
    scripts/demo.sh {{ args }}

# Start the server on ./data
run *args: _build
    {{ bin }}/recto-server --data ./data --listen 127.0.0.1:7077 {{ args }}

# Look into a history in ./data: `just recto log PAGE`
recto *args: _build
    {{ bin }}/recto {{ args }}

# Put recto-server and recto into ~/.cargo/bin
install: _build
    install -m 755 -D -t "${CARGO_HOME:-$HOME/.cargo}/bin" {{ bin }}/recto-server {{ bin }}/recto

# Run all tests, or those that match
test *args:
    scripts/test.sh {{ args }}

# Format, lints, dependencies, documentation, scripts
lint:
    scripts/lint.sh

# Run the benchmarks, or those that match, and print their table
bench *args: _build
    scripts/progress.sh cargo bench --locked --workspace --bench '*' --no-run
    cargo bench --locked --workspace --bench '*' -- {{ args }}
    {{ bin }}/recto-bench-table

# Load real histories into the running server (`--start`: into one of its own) and read them back
load *args: _build
    {{ bin }}/recto-load {{ args }}

# Build the documentation of the crates
docs: _setup
    scripts/progress.sh cargo doc {{ flags }} --no-deps

# What must pass before a change lands
ci:
    bash .ci/run

_build: _setup
    scripts/progress.sh cargo build {{ flags }} --bins

_setup:
    scripts/setup.sh
