#!/usr/bin/env bash
# Makes packages of built binaries. The same input yields the same bytes: every time is SOURCE_DATE_EPOCH.
#
# tools/package.sh check                        ends with 1 when the changelog does not have the version
# tools/package.sh components BINARY            lists what is in the binary: bill of materials, notices
# tools/package.sh deb BINARY                   the .deb tools/package.sh rpm BINARY                   the .rpm
# tools/package.sh archive BINARY               the archive of the static binary tools/package.sh image BINARY
# the image for containers, of the static binary tools/package.sh debug BINARY                 the line tables,
# for gdb and addr2line tools/package.sh sums                         SHA-256 of everything They are written to
# PACKAGE_INTO (target/dist). PACKAGE_VERSION overrides the version, for tests of upgrades.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022
export LC_ALL=C TZ=UTC SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:?seconds since 1970 that every file gets}
into=${PACKAGE_INTO:-target/dist}
version=${PACKAGE_VERSION:-$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)}
machine=$(uname -m)
mkdir -p "$into"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die() { printf 'package: %s\n' "$*" >&2; exit 1; }

# The binary without line tables and names of functions, which are in the file of `debug`.
stripped() { objcopy --strip-all "$1" "$2"; chmod 755 "$2"; }

# Part of the file names for the static binary.
kind() { case $("$1" version --json) in *'"libc":"musl"'*) echo -static ;; esac; }

# Pages, completions and documents of a binary, below a folder: man, completions for shells, documents.
texts() {
    local binary=$1 man=$2 bash=$3 zsh=$4 fish=$5 documents=$6
    mkdir -p "$man" "$bash" "$zsh" "$fish" "$documents/examples"
    "$binary" man --into "$man"
    gzip -9n "$man"/*.1
    "$binary" completions bash > "$bash/duramen"
    "$binary" completions zsh > "$zsh/_duramen"
    "$binary" completions fish > "$fish/duramen.fish"
    cp "$into/notices$(kind "$binary").txt" "$documents/notices.txt"
    cp "$into/duramen$(kind "$binary").cdx.json" "$documents/duramen.cdx.json"
    cp CHANGELOG.md "$documents/"
    cp packaging/examples/* packaging/container/*.yaml "$documents/examples/"
}

# Everything that a package installs. Arguments: binary, folder, where this distribution has completions for zsh.
stage() {
    local binary=$1 root=$2 zsh=$3
    mkdir -p "$root"/usr/{bin,lib/systemd/system,lib/sysusers.d,lib/tmpfiles.d} "$root/etc/duramen"
    stripped "$binary" "$root/usr/bin/duramen"
    texts "$root/usr/bin/duramen" "$root/usr/share/man/man1" "$root/usr/share/bash-completion/completions" \
        "$root$zsh" "$root/usr/share/fish/vendor_completions.d" "$root/usr/share/doc/duramen"
    cp packaging/systemd/duramen.service "$root/usr/lib/systemd/system/"
    cp packaging/systemd/sysusers.conf "$root/usr/lib/sysusers.d/duramen.conf"
    cp packaging/systemd/tmpfiles.conf "$root/usr/lib/tmpfiles.d/duramen.conf"
    mv "$root/usr/share/doc/duramen/examples/duramen.conf" "$root/etc/duramen/"
    gzip -9n "$root/usr/share/doc/duramen"/{notices.txt,duramen.cdx.json,CHANGELOG.md}
    mv "$root/usr/share/doc/duramen/CHANGELOG.md.gz" "$root/usr/share/doc/duramen/changelog.gz"
    find "$root" -type f ! -path "$root/usr/bin/*" -exec chmod 644 {} +
    find "$root" -type d -exec chmod 755 {} +
    find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
}

deb() {
    command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null || die "no dpkg-dev: tools/install.sh package"
    local root=$work/deb architecture
    architecture=$(dpkg --print-architecture)
    stage "$1" "$root" /usr/share/zsh/vendor-completions
    cp packaging/deb/copyright "$root/usr/share/doc/duramen/copyright"
    mkdir -p "$root/DEBIAN" "$work/debian"
    printf 'Source: duramen\n\nPackage: duramen\nArchitecture: any\n' > "$work/debian/control"
    local libraries
    libraries=$(cd "$work" && dpkg-shlibdeps -O "$root/usr/bin/duramen" 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
    [ -n "$libraries" ] || die "dpkg-shlibdeps says nothing of $1"
    sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@LIBRARIES@/$libraries/" \
        -e "s/@SIZE_KIB@/$(du -sk --apparent-size --exclude=DEBIAN "$root" | cut -f1)/" packaging/deb/control.in > "$root/DEBIAN/control"
    cp packaging/deb/{conffiles,postinst,prerm,postrm} "$root/DEBIAN/"
    chmod 755 "$root"/DEBIAN/{postinst,prerm,postrm}
    (cd "$root" && find usr etc -type f -print0 | sort -z | xargs -0 md5sum > DEBIAN/md5sums)
    chmod 644 "$root"/DEBIAN/{control,conffiles,md5sums} "$root/usr/share/doc/duramen/copyright"
    find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz --build "$root" "$into/duramen_${version}_$architecture.deb" >/dev/null
}

rpm() {
    command -v rpmbuild >/dev/null || die "no rpmbuild: tools/install.sh package"
    local root=$work/rpm list=$work/files
    stage "$1" "$root" /usr/share/zsh/site-functions
    cp LICENSE "$root/usr/share/doc/duramen/"
    touch --date="@$SOURCE_DATE_EPOCH" "$root/usr/share/doc/duramen/LICENSE"
    {
        echo '%defattr(-,root,root)'
        echo '%dir /etc/duramen'
        echo '%dir /usr/share/doc/duramen'
        (cd "$root" && find . -type f -printf '/%P\n' | sort) | sed -e 's#^/etc/#%config(noreplace) /etc/#' -e 's#^/usr/share/doc/#%doc /usr/share/doc/#'
    } > "$list"
    rpmbuild -bb --quiet --define "_topdir $work/rpmbuild" --define "_rpmdir $work/rpms" --define "package_version $version" \
        --define "stage $root" --define "file_list $list" --define '_buildhost duramen' --define 'use_source_date_epoch_as_buildtime 1' \
        --define 'clamp_mtime_to_source_date_epoch 1' --define '_binary_payload w6.xzdio' packaging/rpm/duramen.spec
    cp "$work"/rpms/*/*.rpm "$into/"
}

# The same tree as the packages', below one folder.
archive() {
    [ "$(kind "$1")" = -static ] || die "$1 is not static: make static"
    local name=duramen-$version root
    root=$work/$name
    stage "$1" "$root" /usr/share/zsh/site-functions
    cp LICENSE "$root/usr/share/doc/duramen/"
    tar --create --directory "$work" --format=ustar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" "$name" \
        | gzip -9n > "$into/duramen-$version-linux-$machine-static.tar.gz"
}

image() {
    [ "$(kind "$1")" = -static ] || die "$1 is not static: make static"
    stripped "$1" "$work/duramen"
    python3 tools/image.py "$work/duramen" "$into" "$version" "$work/image.tar"
    mv "$work/image.tar" "$into/duramen-$version-linux-$machine.oci.tar"
}

debug() {
    objcopy --only-keep-debug "$1" "$work/duramen.debug"
    gzip -6nc "$work/duramen.debug" > "$into/duramen-$version-linux-$machine$(kind "$1").debug.gz"
}

check() {
    grep -qE "^## ${version//./\\.} - [0-9]{4}-[0-9]{2}-[0-9]{2}$" CHANGELOG.md \
        || die "CHANGELOG.md has no section '## $version - DATE' for the version in Cargo.toml"
}

sums() {
    (cd "$into" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs sha256sum > SHA256SUMS && cat SHA256SUMS)
}

verb=${1:?check, components, deb, rpm, archive, image, debug or sums}; shift
case $verb in
    components) python3 tools/components.py "$(realpath "${1:?binary}")" "$into" "$(kind "$1")" ;;
    deb | rpm | archive | image | debug) "$verb" "$(realpath "${1:?binary}")" ;;
    check | sums) "$verb" ;;
    *) die "unknown verb $verb" ;;
esac
