#!/usr/bin/env bash
# Installs what one of the make targets needs on Debian 12: build | test | bench | fuzz.
# A second run finds everything in place and ends at once.
set -euo pipefail
purpose=${1:?build, test, bench or fuzz}

die() { printf 'install: %s\n' "$*" >&2; exit 1; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null; then sudo "$@"
    else die "needs root or sudo to run: $*"; fi
}

command -v cargo >/dev/null || die "no Rust toolchain: install one (1.88 or newer) from rustup.rs"
command -v node >/dev/null || die "no Node: install Node 20 or newer"
command -v npm >/dev/null || die "no npm: install the one of Node 20 or newer"
[ "$(node -p 'parseInt(process.versions.node)')" -ge 20 ] || die "Node $(node --version) is too old: 20 or newer is needed"

# command that proves it is there : Debian package
build=(cc:gcc make:make git:git)
test=("${build[@]}" python3:python3 logger:bsdutils rsyslogd:rsyslog chromium:chromium)
bench=("${build[@]}" rsyslogd:rsyslog rg:ripgrep)
fuzz=("${build[@]}" c++:g++)
declare -n wanted=$purpose

missing=()
for pair in "${wanted[@]}"; do
    command -v "${pair%%:*}" >/dev/null || PATH=$PATH:/usr/sbin command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
done
# Modules have no command: a file that proves it is there : Debian package.
if [ "$purpose" = test ]; then
    for pair in rsyslog/imrelp.so:rsyslog-relp; do
        compgen -G "/usr/lib/*/${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
    done
fi
if [ ${#missing[@]} -gt 0 ]; then
    command -v apt-get >/dev/null || die "install these by hand: ${missing[*]}"
    as_root apt-get update -qq
    # rsyslog must not start a daemon of its own on a developer's machine.
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi

# Debian's syslog-ng conflicts with its rsyslog: unpack it beside.
if [ "$purpose" != build ] && [ "$purpose" != fuzz ]; then
    rival=target/rivals/syslog-ng
    if [ ! -x "$rival/usr/sbin/syslog-ng" ]; then
        mkdir -p "$rival/packages"
        as_root apt-get update -qq
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libivykis0 libnet1 libpcre3
        (cd "$rival/packages" && apt-get download -qq syslog-ng-core)
        for package in "$rival"/packages/*.deb; do dpkg-deb --extract "$package" "$rival"; done
        "$PWD/tools/syslog-ng.sh" syslog-ng --version >/dev/null || die "Debian's syslog-ng does not start from $rival"
    fi
fi
