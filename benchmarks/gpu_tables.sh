#!/usr/bin/env bash
# Measure again, on one GPU and of one commit, what the documentation's tables take from a GPU, most important first.
#   bash benchmarks/gpu_tables.sh COMMIT OUT [STEP…]     all steps, some 40 minutes on an H200, or those named
#   LAGCOLOR_DATA=FOLDER                                 of real graphs and matrices
#   PEERS=FILE.csv                                       times of other codes, for the step `derivatives`
# Each step is one process at a time and leaves OUT/NAME-h200-DATE.jsonl, to be copied to benchmarks/results; then
# `make tables pictures`. A step that fails is reported, and the next one runs. steps.sh has the rules.
set -u
source "$(dirname "$0")/steps.sh"
python=${PYTHON:-python3}
begin "${2:?folder}" "${1:?commit}"
shift 2

bench() { # NAME ARGUMENTS: benchmarks.compare, whose rows are added to what NAME has
    local name=$1 && shift
    "$python" -m benchmarks.compare "$@" --device cuda --repeat "${repeat:-3}" --commit "$commit" --out "$out/$name" &&
        cp "$out/$name/results.jsonl" "$out/$name-$day.jsonl"
}

script() { # NAME MODULE ARGUMENTS
    local name=$1 module=$2 && shift 2
    "$python" -m "benchmarks.$module" "$@" --commit "$commit" --out "$out/$name-$day.jsonl"
}

qualities=(auto:fast auto:balanced auto:best=5x auto:best=25x auto:best=100x)
fast=(first_fit ecl_gc ipgc 'speculative_*' cohen_castonguay feluca
    'chen_*' jp_adg dec_adg_itr gunrock_is luby_is_fused jones_plassmann jpl luby_is luby_mis)

main() { # 4 min; peers as in docs/development/bench.md
    installed csrcolor 'ECL-GC v1.2' &&
        bench bench-h200 --suite h200 --algorithms "${qualities[@]}" "${fast[@]}" --timeout 15 --budget 0.6 \
            --import benchmarks.peers --peers csrcolor 'ECL-GC v1.2'
}
losses() { # 6 min; also of the CPU; peers as in peers/README.md
    need LAGCOLOR_DATA "the folder of real graphs" && installed boost32 colpack igraph 'ECL-GC v1.2' &&
        "$python" -m benchmarks.losses measure "$out/losses-h200-$day.jsonl" --commit "$commit"
}
products() { script semirings-products-h200 semirings_gpu; }                                                  #  80 s
rules() { script rules-h200 rules grid2d:2048 rgg:20 rmat:20 --runs 3; }                                       #  60 s
derivatives() {
    need PEERS "times of other codes" && script derivatives-h200 derivatives_gpu --runs 3 --limit 0.3 --peers "$PEERS"
}                                                                                                             #  60 s
changes() { script changes-h200 changes --runs 3; }                                                              #  30 s
memory() { script memory-h200 memory; } # bytes                                                                  #  60 s
solvers() { # 140 s
    need LAGCOLOR_DATA "the folder of real matrices" &&
        script solvers-h200 solvers --runs 3 --limit 2 --real "$LAGCOLOR_DATA"
}
papers() { # 10 min; a second call skips what OUT/papers has
    need LAGCOLOR_DATA "the folder of real graphs" || return 1
    "$python" -m benchmarks.papers 'osama-*' ecl-gc-shortcuts ecl-gc-reduction 'che-*' feluca-tables feluca-figures \
        feluca-profile 'ipgc-*' --commit "$commit" --out "$out/papers"
    local code=$? file
    for file in "$out"/papers/*.jsonl; do cp "$file" "$out/$(basename "$file" .jsonl)-h200-$day.jsonl"; done
    return $code
}
disk() { # folders of a GB, removed at the end; 90 s
    local work
    work=$(mktemp -d) && script disk-h200 disk --folder "$work"
    local rc=$?
    rm -rf "$work"
    return $rc
}
gpus() { # of one host, all that there are; the mesh of 40 G entries does not fit in one
    script gpus-h200 gpus stencil27:340 'uniform:2**25,4' 'uniform:2**27,4' rgg:24 rgg:26 kron_g500:21 kron_g500:26,32 \
        --large 1160
}                                                                                                             #  60 s
threads() { script threads-16 threads --runs 3; } # of the CPU, 16 cores                                                 #  60 s
meshes() { script meshes-h200 meshes --runs 15; }                                                              #  30 s

all=(main losses products derivatives rules changes memory solvers papers disk gpus meshes threads)
[ $# -gt 0 ] || set -- "${all[@]}"
run "$@"
