#!/usr/bin/env bash
# Build the wheel and the source distribution, check them, install each in a fresh environment, and run the contract
# tests from the unpacked source distribution against the installed package.
#   bash tools/check_dist.sh PYTHON FOLDER
set -euo pipefail
python=$(realpath --no-symlinks "$1") folder=$2
rm -rf "$folder" && mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
pip() { "$1/bin/python" -m pip install -qq --disable-pip-version-check "${@:2}"; }

"$python" -m venv "$folder/tools" && pip "$folder/tools" build twine
"$folder/tools/bin/python" -m build --outdir "$folder/dist" . >"$folder/build.log" 2>&1 || { tail -20 "$folder/build.log"; exit 1; }
"$folder/tools/bin/twine" check --strict "$folder"/dist/*
tar xzf "$folder"/dist/*.tar.gz -C "$folder"
source=$(echo "$folder"/lagcolor-*/)
cd "$folder"

# The wheel with what it depends on, no more: the version, and what the README shows.
"$python" -m venv wheel && pip wheel dist/*.whl
wheel/bin/lagcolor --version
wheel/bin/lagcolor color grid2d:100
PATH="$folder/wheel/bin:$PATH" wheel/bin/python "$source/tools/page_blocks.py" "$source/README.md"
wheel/bin/python -m pip list --disable-pip-version-check

# The source distribution with what tests need; the package in the unpacked tree is removed, so that it is not taken.
"$python" -m venv sdist && pip sdist "$(echo dist/*.tar.gz)[test]"
rm -rf "$source/lagcolor"
cd "$source" && "$folder/sdist/bin/python" -m pytest -q -n auto -p no:cacheprovider tests/contract
