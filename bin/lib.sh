# Functions that the other scripts use. They source this file.

# Prints the step that begins now, with the seconds since the script started.
step() {
    printf '==> %s  [%d s]\n' "$*" "$SECONDS" >&2
}

# Prints an error message on one line and ends the script with exit status 1.
fail() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# Runs a command. Prints its output only if it failed.
quietly() {
    local log status=0
    log=$(mktemp)
    "$@" >"$log" 2>&1 </dev/null || status=$?
    [ $status = 0 ] || cat "$log" >&2
    rm -f "$log"
    return $status
}

# Puts Swift 6.3 or later on the PATH. Debian has no package for it.
find_swift() {
    local folder version
    for folder in "" "${SWIFTLY_BIN_DIR:-$HOME/.local/share/swiftly/bin}" /opt/swift/usr/bin /usr/local/swift/usr/bin; do
        if [ -z "$folder" ] || [ -x "$folder/swift" ]; then
            version=$(PATH="${folder:+$folder:}$PATH" swift --version 2>/dev/null \
                | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1) || true
            if [ -n "$version" ] && [ "$(printf '%s\n6.3\n' "$version" | sort -V | head -n 1)" = 6.3 ]; then
                [ -z "$folder" ] || export PATH="$folder:$PATH"
                return
            fi
        fi
    done
    fail "Swift 6.3 or later is required, and Debian has no package for it: install it from https://www.swift.org/install/linux (for Debian 12) to the PATH or to /opt/swift"
}

# Builds for debugging. Without the index of an editor, which no script uses, a module needs a quarter less time.
build() {
    swift build --disable-index-store "$@"
}
