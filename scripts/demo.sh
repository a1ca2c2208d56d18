#!/usr/bin/env bash
# From a fresh Debian machine to a running server with a first page:
#
#   scripts/demo.sh [--once] [--data FOLDER]
#
# Installs what is missing, builds the server, starts it on 127.0.0.1 (port 7077, or a free one; PORT=… chooses),
# makes a page, edits it, reads it at version 1, undoes and redoes the edit, reads it at the head, tells its history with the
# replay tool, and leaves the server running until Ctrl-C.
# --once stops it at the end. Run again on the same folder, it shows that a repeated command is answered as the
# first time and done once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/setup.sh

data=./data
once=
server=
base=
scratch=

main() {
  read_arguments "$@"
  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  scratch=$(mktemp -d)

  scripts/progress.sh cargo build --release --locked --workspace --bin recto-server --bin recto
  start_server
  show_first_page
  if [[ -n $once ]]; then
    stop_server || fail_with_log "The server stopped with status $?."
    heading "The server has stopped. The page is kept in $data."
    return
  fi
  heading "Recto runs at $base: its API is described at $base/docs. Ctrl-C stops it."
  wait "$server" || server_died "The server has stopped by itself."
}

read_arguments() {
  while (($# > 0)); do
    case $1 in
      --once) once=1 ;;
      --data)
        data=${2:?--data needs a folder}
        shift
        ;;
      *)
        sed -n '2,/^set /s/^# \{0,1\}//p' scripts/demo.sh >&2
        exit 2
        ;;
    esac
    shift
  done
  log=${data%/}.log
}

# ── The server ──────────────────────────────────────────────────────────────────────────────────────────────────────

start_server() {
  local port
  port=$(choose_port)
  base=http://127.0.0.1:$port
  mkdir -p "$data"
  heading "The server starts on $base, with its data in $data and its log in $log"
  # In a process group of its own: Ctrl-C reaches this script alone, which then stops the server in order.
  set -m
  "$CARGO_TARGET_DIR/release/recto-server" --data "$data" --listen "127.0.0.1:$port" </dev/null >"$log" 2>&1 &
  server=$!
  set +m
  wait_until_ready
}

choose_port() {
  local port
  if [[ -n ${PORT:-} ]]; then
    if is_taken "$PORT"; then fail "Port $PORT is taken: choose another PORT, or leave it unset."; fi
    echo "$PORT"
    return
  fi
  for ((port = 7077; port < 7177; port++)); do
    if ! is_taken "$port"; then
      echo "$port"
      return
    fi
  done
  fail "The ports 7077 to 7176 are all taken: choose another with PORT=…"
}

is_taken() {
  (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

wait_until_ready() {
  local tries
  for ((tries = 0; tries < 300; tries++)); do
    if curl -fsS --max-time 2 -o /dev/null "$base/readyz" 2>/dev/null; then return; fi
    if ! kill -0 "$server" 2>/dev/null; then server_died "The server did not start."; fi
    sleep 0.2
  done
  fail_with_log "The server was not ready within a minute."
}

# Ends the server in order. Prints nothing, for it is also called when something else went wrong.
stop_server() {
  local status=0 stopping=$server
  server=
  kill -TERM "$stopping" 2>/dev/null || true
  wait "$stopping" 2>/dev/null || status=$?
  return "$status"
}

clean_up() {
  local status=$?
  trap - EXIT INT TERM HUP
  if [[ -n $scratch ]]; then rm -rf "$scratch"; fi
  if [[ -n $server ]]; then
    stop_server || true
    heading "The server has stopped. The page is kept in $data."
  fi
  # Ctrl-C is how the demo is meant to end.
  if ((status == 130)); then status=0; fi
  exit "$status"
}

# ── The page ────────────────────────────────────────────────────────────────────────────────────────────────────────

readonly page='{"id":"welcome","kind":"DESIGN","file":"demo","value":{"attributes":{"dimensions":{"width":1280,"height":720}},"nodes":{"title":{"type":"text","parentId":null,"geometry":{"x":96,"y":96,"width":640,"height":80,"rotation":0},"props":{"text":"Hello"}}}}}'
readonly edit='{"deltas":[[{"op":"setNode","id":"title","set":{"/props/text":"Hello, Recto"}}]]}'

show_first_page() {
  heading "1. Make a page, with one text on it"
  request 201 -X POST "$base/v1/pages" -H 'Idempotency-Key: demo-make' -d "$page"

  heading "2. Edit the text; If-Match says which version the edit was made from"
  request 200 -X POST "$base/v1/pages/welcome/deltas" -H 'Idempotency-Key: demo-edit' -H 'If-Match: "1.0"' -d "$edit"

  heading "3. Read the page as it was at version 1"
  request 200 "$base/v1/pages/welcome?at=1"
  expect '"text":"Hello"'

  heading "4. Undo the edit: an event of its own, made from the page's history"
  request 200 -X POST "$base/v1/pages/welcome/undo" -H 'Idempotency-Key: demo-undo' -H 'If-Match: "2.0"' -d '{}'
  expect '"outcome":"applied"'

  heading "5. Redo it"
  request 200 -X POST "$base/v1/pages/welcome/redo" -H 'Idempotency-Key: demo-redo' -H 'If-Match: "3.0"' -d '{}'

  heading "6. Read the page as it is now"
  request 200 "$base/v1/pages/welcome"
  expect '"text":"Hello, Recto"'

  heading "7. Look into the history with the replay tool, beside the running server"
  ask_recto log welcome
  ask_recto stack welcome
}

# Runs the replay tool on the data folder, and prints what it says.
ask_recto() {
  printf '$ recto --data %s %s\n\n' "$data" "$*"
  "$CARGO_TARGET_DIR/release/recto" --data "$data" "$@" || fail "The replay tool ended with status $?."
  printf '\n'
}

# request STATUS ARGUMENTS…: prints the request as one can paste it, and its answer.
request() {
  local wanted=$1 status
  shift
  if [[ " $* " == *' -d '* ]]; then set -- "$@" -H 'Content-Type: application/json'; fi
  print_command curl "$@"
  status=$(curl -sS --max-time 30 -D "$scratch/head" -o "$scratch/body" -w '%{http_code}' "$@") ||
    fail_with_log "The server did not answer."
  tr -d '\r' <"$scratch/head" | grep -iE '^(HTTP/|etag:|idempotency-replayed:)'
  pretty <"$scratch/body"
  if [[ $status != "$wanted" ]]; then
    fail "The answer should have been $wanted. If the page was changed by other means: scripts/demo.sh --data ANOTHER_FOLDER"
  fi
}

expect() {
  grep -qF "$1" "$scratch/body" || fail "The answer should have held $1."
}

print_command() {
  local word line='$'
  for word in "$@"; do
    if [[ $word == -[XHd] ]]; then
      # An option begins a line of its own where the line grows long.
      if ((${#line} > 50)); then
        printf '%s \\\n' "$line"
        line=' '
      fi
      line+=" $word"
    elif [[ $word =~ ^[A-Za-z0-9_./:=-]+$ ]]; then
      line+=" $word"
    else
      line+=" '$word'"
    fi
  done
  printf '%s\n\n' "$line"
}

# Breaks JSON into lines down to the second level; what lies deeper stays on its line.
pretty() {
  awk '
    { text = text $0 }
    END {
      for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (quoted) {
          out = out c
          if (c == "\\") { i++; out = out substr(text, i, 1) }
          else if (c == "\"") quoted = 0
        }
        else if (c == "\"") { quoted = 1; out = out c }
        else if (substr(text, i, 2) ~ /^({}|\[])$/) { out = out substr(text, i, 2); i++ }
        else if (c ~ /[{[]/) { depth++; out = out c (depth <= 2 ? line(depth) : "") }
        else if (c ~ /[]}]/) { out = out (depth <= 2 ? line(depth - 1) : "") c; depth-- }
        else if (c == ",") out = out c (depth <= 2 ? line(depth) : " ")
        else if (c == ":") out = out ": "
        else if (c !~ /[ \t]/) out = out c
      }
      print out
    }
    function line(n) { return "\n" substr("        ", 1, 2 * n) }
  '
}

heading() {
  printf '\n── %s\n\n' "$1"
}

fail() {
  printf '\nrecto: %s\n' "$1" >&2
  exit 1
}

server_died() {
  server=
  fail_with_log "$1"
}

fail_with_log() {
  printf '\nrecto: %s The end of %s:\n' "$1" "$log" >&2
  tail -n 20 "$log" >&2
  exit 1
}

main "$@"
