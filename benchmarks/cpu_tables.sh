#!/usr/bin/env bash
# Measure again, on a quiet machine and a clean tree, what the documentation's tables take from a CPU, in order.
#   bash benchmarks/cpu_tables.sh OUT [STEP…]     all steps, or those named, in this order; 100 minutes on two cores
#   LAGCOLOR_DATA=FOLDER                          of real graphs and matrices
#   PEERS=PYTHON                                  with the packages ortools, python-sat, rustworkx and gcol, in a
#                                                 environment without lagcolor; what `pip install '.[test]'` installs,
#                                                 such as asdex, gcol, igraph and pyamg, belongs to PYTHON (.venv)
#   TABLES=FOLDER                                 of colors of SparseMatrixColorings.jl's tests
# Each step leaves OUT/NAME-DATE.jsonl, to be copied to benchmarks/results; then `make tables pictures`. Figures 17 and
# 19 in docs/measurements/paper_ecl_gc.md need the files of gpu_tables.sh of the same commit. steps.sh has the rules.
set -u
source "$(dirname "$0")/steps.sh"
out=${1:?folder} && shift
python=${PYTHON:-.venv/bin/python}
begin "$out" "$(git describe --always --abbrev=12 --exclude '*' --dirty=+)"

bench() { # NAME ARGUMENTS
    local name=$1 && shift
    "$python" -m benchmarks.compare "$@" --out "$out/$name" && cp "$out/$name/results.jsonl" "$out/$name-$day.jsonl"
}

main() { # 4 min; what `targets` compares, and no code whose times another step measures for a page
    installed ref boost boost32 colpack igraph &&
        bench bench-cpu --suite cpu --data examples/data --orders natural --threads 1 2 --repeat 3 --budget 4 --timeout 20 \
            --algorithms greedy dsatur jones_plassmann gebremedhin_manne \
            --import benchmarks.peers --peers ref 'boost*' colpack igraph
}
qualities() { # 4 min
    bench qualities-cpu --suite cpu --repeat 3 --budget 3 --timeout 20 --peers none --algorithms 'auto:*' greedy dsatur \
        first_fit ecl_gc gebremedhin_manne 'speculative_*' jp_adg dec_adg_itr ipgc jones_plassmann cohen_castonguay chen_data
}
semirings() { # 1 min
    "$python" -m benchmarks.semirings_cpu --out "$out/semirings-cpu-$day.jsonl" \
        --orders random largest_first approximate_degeneracy --colors grid2d:64 rmat:12 kron_g500:10 uniform:4096,4 rgg:10 \
        rgg:12 rgg:14 delaunay:12 road:40 stencil27:12 grid3d:16 social:4000,10
}
peers() { # 4 min
    installed networkx igraph rustworkx gcol scipy ref boost boost32 colpack graphblas &&
        bench bench-cpu-peers --suite small --import benchmarks.peers
}
steps() { "$python" -m benchmarks.papers.ecl_gc --device cpu --out "$out/ecl-gc-steps-cpu-$day.jsonl"; } # 8 min, counts
reductions() { "$python" -m benchmarks.reductions_cpu --out "$out/reductions-cpu-$day.jsonl"; } # 2 min
losses() { # 5 min
    installed boost32 colpack igraph && "$python" -m benchmarks.losses measure "$out/losses-cpu-$day.jsonl"
}
pauli() { "$python" -m benchmarks.pauli --device cpu --runs 5 --out "$out/pauli-cpu-$day.jsonl"; } # 4 min
changes() { "$python" -m benchmarks.changes --device cpu --runs 5 --out "$out/changes-cpu-$day.jsonl"; } # 1 min
memory() { "$python" -m benchmarks.memory --device cpu --out "$out/memory-cpu-$day.jsonl"; } # 2 min, bytes
balance() { "$python" -m benchmarks.balance --device cpu --runs 5 --out "$out/balance-cpu-$day.jsonl"; } # 1 min
rules() { "$python" -m benchmarks.rules grid2d:1000 rgg:17 rmat:17 --device cpu --out "$out/rules-cpu-$day.jsonl"; } # 20 s
rlf() { installed gcol && "$python" -m benchmarks.rlf --out "$out/rlf-cpu-$day.jsonl"; } # 2 min
edges() { # 10 min
    need PEERS "a Python with rustworkx and gcol" &&
        "$python" -m benchmarks.edges --real --peers "$PEERS" --out "$out/edges-cpu-$day.jsonl"
}
spills() { # 11 min
    need PEERS "a Python with OR-tools" && "$python" -m benchmarks.spills --peers "$PEERS" --out "$out/spills-cpu-$day.jsonl"
}
exact() { # 4 min
    need PEERS "a Python with OR-tools and python-sat" &&
        "$python" -m benchmarks.exact --peers "$PEERS" --limit 3 --runs 1 --out "$out/exact-cpu-$day.jsonl"
}
proofs() { "$python" -m benchmarks.proofs --out "$out/proofs-cpu-$day.jsonl"; } # 1 min, by the clock
timetables() { # 2 min, by the clock
    need PEERS "a Python with OR-tools" && "$python" -m benchmarks.timetables --peers "$PEERS" --out "$out/timetables-cpu-$day.jsonl"
}
meshes() { "$python" -m benchmarks.meshes --device cpu --best 20 --out "$out/meshes-cpu-$day.jsonl"; } # 2 min
derivatives() { "$python" -m benchmarks.derivatives_cpu --out "$out/derivatives-cpu-$day.jsonl"; } # 2 min
derivative_peers() { # 2 min
    need TABLES "the folder of colors of SparseMatrixColorings.jl's tests" &&
        "$python" -m benchmarks.derivative_peers --tables "$TABLES" --out "$out/derivative-peers-cpu-$day.jsonl"
}
solvers() { # 5 min
    need LAGCOLOR_DATA "the folder of real matrices" &&
        "$python" -m benchmarks.solvers --device cpu --real "$LAGCOLOR_DATA" --runs 3 --limit 5 --out "$out/solvers-cpu-$day.jsonl"
}
iterations() { # 1 min, counts
    "$python" -m benchmarks.solvers --device cpu --iterations poisson:32 tetrahedra:20 \
        --out "$out/solvers-iterations-cpu-$day.jsonl"
}
cluster() { "$python" -m benchmarks.cluster --out "$out/cluster-cpu-$day.jsonl"; } # 2 min, counts and CPU seconds
first_page() { "$python" -m benchmarks.first_calls --page --out "$out/first-calls-page-$day.jsonl"; } # 10 min
hard() { "$python" -m benchmarks.hard --out "$out/hard-cpu-$day.jsonl"; }                          # 9 min, by the clock
networkx() { "$python" -m benchmarks.networkx_calls --out "$out/networkx-cpu-$day.jsonl"; } # 1 min, CPU seconds
convergence() { "$python" -m benchmarks.solver_convergence --out "$out/solver-convergence-cpu-$day.jsonl"; } # 1 min
# The long steps are the last.
all=(main losses qualities semirings peers reductions derivatives derivative_peers pauli rules rlf proofs
    timetables meshes changes memory balance solvers iterations convergence networkx cluster exact steps hard edges first_page spills)
[ $# -gt 0 ] || set -- "${all[@]}"
run "$@"
