#!/bin/sh
# run.sh TRITON_CHECKOUT [option…]: see run.py, whose options it takes.
exec "${PYTHON:-python3}" "$(dirname "$0")/run.py" "$@"
