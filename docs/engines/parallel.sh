#!/bin/sh
# Syncs a place in shards, on this machine or, with --sshloginfile, on others.
# Usage: parallel.sh SOURCE TARGET SHARDS DIRECTORY
# Run it again with the same words to go on: shards that are done find nothing to do.
set -eu
source=$1 target=$2 shards=$3 run=$4

mkdir -p "$run"
[ -e "$run/split" ] || { pail split "$source" --into "$shards" > "$run/new" && mv "$run/new" "$run/split"; }

# A shard that fails is tried twice more; the proof is the reports.
seq "$shards" | parallel --will-cite --quote -n0 --retries 3 --joblog "$run/jobs" \
  pail sync -q --delete --shard auto --split "$run/split" --report "$run/reports/" "$source" "$target" || true

pail report merge "$run/reports/"
