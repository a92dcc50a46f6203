# Read by scripts that are called with HINDCAST BUILD FOLDER: builds, runs and verifies the programs in FOLDER with the kit's BUILD.
hindcast=$1 build=$2 folder=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

complain() {
    echo "$1"
    cat "$work/out"
    exit 1
}

# make NAME OPTIONS... : sources and options of the compiler; RECORDER may have options of the recorder
RECORDER=""
make() {
    name=$1
    shift
    "$build" "$work/$name.elf" --hindcast="$hindcast" --hindcast-options="--port=bare --no-sizes $RECORDER" "$@" >"$work/out" 2>&1
}

# refused NAME TEXT OPTIONS...: the link fails with TEXT
refused() {
    name=$1 text=$2
    shift 2
    ! make "$name" "$@" || complain "$name: was not refused"
    grep -q "$text" "$work/out" || complain "$name: does not say '$text'"
}

linked() {
    make "$@" || complain "$1: does not link"
}

# verified NAME SECONDS AWK: what was recorded replays, and the last line fulfils AWK
verified() {
    rm -f "$work/flash"
    "$hindcast" run "$work/$1.elf" --seconds "$2" --flash "$work/flash" --oracle "$work/oracle" >"$work/out" 2>&1 ||
        complain "$1: does not run"
    "$hindcast" replay "$work/$1.elf" "$work/flash" --verify "$work/oracle" >"$work/out" 2>&1 || complain "$1: differs"
    awk "/^verified:/ { enough = $3 } END { exit !enough }" "$work/out" || complain "$1: too little"
    "$hindcast" replay "$work/$1.elf" "$work/flash" --verify "$work/oracle" --each >"$work/out" 2>&1 ||
        complain "$1: differs from a checkpoint"
    "$(dirname "$0")/../format/compare.py" "$hindcast" "$work/$1.elf" "$work/flash" >"$work/out" 2>&1 || complain "$1: the second reader differs"
    "$hindcast" replay "$work/$1.elf" "$work/flash" --check-positions >"$work/out" 2>&1 || complain "$1: a position is not unique"
}
