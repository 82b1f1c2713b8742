# Prints a Python >= 3.11 that can make virtual environments: the one given, or the first found.
# A name can exist and still not run (a pyenv shim of a missing version), so each is tried.

new_enough='import sys; sys.exit(sys.version_info < (3, 11))'

for python in ${1:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
  "$python" -c "$new_enough" >/dev/null 2>&1 || continue
  if "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    echo "$python"
    exit 0
  fi
  bare=$python
done

if [ -n "${bare:-}" ]; then
  echo "docgraph: $bare cannot make virtual environments: its venv or ensurepip module is missing." >&2
  echo "Install it (Debian, Ubuntu: apt install python3-venv) or name another: make PYTHON=..." >&2
else
  echo "docgraph: no Python 3.11 or newer was found${1:+ under '$1'}." >&2
  echo "Install one, or say where it is: make PYTHON=/path/to/python3" >&2
fi
exit 1
