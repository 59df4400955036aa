# Sourced by cpu_tables.sh and gpu_tables.sh: `begin OUT COMMIT` opens a folder, and `run STEP…` runs its steps in order.
# A folder has files of one commit of a clean tree. A step that has ended is not repeated. A step fails if another
# program uses the machine for two minutes, or if `need` finds no variable, or `installed` no peer, that it needs. TRY=yes
# accepts any tree and load.

begin() { # OUT COMMIT
    out=$1 commit=$2 day=$(date -u +%F)
    if [[ $commit == *+ && -z ${TRY:-} ]]; then
        echo "the tree has changes: commit them, or set TRY=yes" >&2
        exit 2
    fi
    mkdir -p "$out"
    if [ "$(cat "$out/commit" 2>/dev/null || echo "$commit")" != "$commit" ]; then
        echo "$out has files of commit $(cat "$out/commit"), and this is $commit: name another folder" >&2
        exit 2
    fi
    echo "$commit" >"$out/commit"
}

need() { # VARIABLE WHAT
    [ -n "${!1:-}" ] || { echo "set $1: $2" && return 1; }
}

installed() { # PEER…
    "$python" - "$@" <<'END'
import sys
import benchmarks.peers
from benchmarks.harness.peers import PEERS
sys.exit("\n".join(f"{name}: {why}" for name in sys.argv[1:] if (why := PEERS[name].absent())) or 0)
END
}

busy() { # print the number of busy cores, in hundredths, within a second
    { head -1 /proc/stat && sleep 1 && head -1 /proc/stat; } |
        awk -v cores="$(nproc --all)" '{ t = 0; for (i = 2; i <= 9; i++) t += $i; idle = $5 + $6
            if (NR == 2) printf "%d\n", 100 * cores * (1 - (idle - before) / (t - total)); total = t; before = idle }'
}

quiet() {
    local tries
    for ((tries = 0; tries < 100; tries++)); do
        [ -n "${TRY:-}" ] || [ "$(busy)" -lt 50 ] && return 0
    done
    echo "other programs use the machine: stop them, or set TRY=yes" && return 1
}

run() { # STEP…
    local step start failed=
    for step in "$@"; do
        start=$SECONDS
        if [ -e "$out/$step.done" ]; then
            echo "$step: done before"
        elif declare -F "$step" >/dev/null && (quiet && "$step") >"$out/$step.log" 2>&1; then
            touch "$out/$step.done"
            echo "$step: done, $((SECONDS - start)) s"
        else
            failed+=" $step"
            echo "$step: FAILED, $((SECONDS - start)) s: $(tail -1 "$out/$step.log" 2>/dev/null)"
        fi
    done
    [ -z "$failed" ] || { echo "failed:$failed; see OUT/STEP.log" && return 1; }
}
