#!/bin/sh
# Syncs a place in 64 shards, as an array of Slurm.
# Usage: pail split SOURCE --into 64 > RUN/split, then sbatch slurm.sh SOURCE TARGET RUN
# RUN is a directory that all nodes share. Afterwards: pail report merge RUN/reports/
#SBATCH --job-name=pail
#SBATCH --array=0-63
#SBATCH --output=/dev/null
#SBATCH --requeue
set -eu
source=$1 target=$2 run=$3

exec pail sync -q --delete --shard auto --split "$run/split" --report "$run/reports/" "$source" "$target"
