#!/bin/bash
#SBATCH --job-name=herocon
#SBATCH --array=0-9
#SBATCH --cpus-per-task=1
#SBATCH --mem=4G
#SBATCH --time=02:00:00
#SBATCH --output=herocon-%A-%a.log
# Ten seeds as ten jobs: sbatch slurm_array.sh
# Needs: herocon-lite[repro]
set -euo pipefail

seed=$SLURM_ARRAY_TASK_ID
export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}

# A folder for each job, so that no two write one file; done runs are skipped,
# and a job that was cut off goes on where it stood.
python -m herocon_lite run "${DATA:-yeast}" dnn herocon \
  --seeds "$seed-$seed" --budget "${BUDGET:-paper}" \
  --folder "${RESULTS:-results-array}/$seed"
