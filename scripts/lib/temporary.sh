# Sourced by scripts that start servers and clients. SPDX-License-Identifier: Apache-2.0
#
# Gives the script and its children a folder for temporary files, which is removed at the end and kept after a failure.
TMPDIR="$(mktemp -d "${TMPDIR:-/tmp}/roost-${0##*/}-XXXXXX")"
export TMPDIR
chmod 1777 "$TMPDIR"  # As /tmp: PostgreSQL and installers run as other users.
leave_temporary() {
    if [ "$1" = 0 ]; then
        rm -rf "$TMPDIR"
    elif ! rmdir "$TMPDIR" 2>/dev/null; then
        echo "${0##*/}: the files of this run are in $TMPDIR" >&2
    fi
}
trap 'leave_temporary $?' EXIT
