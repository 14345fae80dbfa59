# Two stages: Swift 6.3 on Debian 12 builds, debian:12-slim runs one binary with the Swift runtime inside it.
#
# The bases are arguments, to be given by digest: `make image` does. Debian's packages are those of a day where SNAPSHOT
# names one of snapshot.debian.org, such as 20260101T000000Z; Swift's stand in Package.resolved where there is one.
ARG BUILD_IMAGE=swift:6.3-bookworm
ARG RUNTIME_IMAGE=debian:12-slim

FROM ${BUILD_IMAGE} AS build
ARG SNAPSHOT=
WORKDIR /src
COPY scripts scripts
RUN ./scripts/pin-debian.sh "$SNAPSHOT" && apt-get update && ./scripts/install-system-packages.sh && rm -rf /var/lib/apt/lists/*
COPY Package.swift Package.resolve[d] ./
COPY Sources Sources
# Declared by the package: without them it can't be loaded.
COPY Tests Tests
RUN swift build --configuration release --product tablecast --static-swift-stdlib \
 && install -D -s -m 0755 "$(swift build --configuration release --static-swift-stdlib --show-bin-path)/tablecast" /out/tablecast \
 && ./scripts/sbom.py /out/tablecast /out/tablecast.spdx.json

FROM ${RUNTIME_IMAGE}
ARG SNAPSHOT=
ARG RUNTIME_IMAGE
LABEL org.opencontainers.image.base.name=${RUNTIME_IMAGE}
# What the binary is linked with beyond libc, and the certificate authorities for upstreams' TLS.
RUN --mount=type=bind,source=scripts,target=/scripts /scripts/pin-debian.sh "$SNAPSHOT" && apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libcurl4 libicu72 libpq5 libre2-9 libsimdjson14 \
    libsqlite3-0 libssl3 libstdc++6 zlib1g \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 10001 tablecast \
 && useradd --uid 10001 --gid 10001 --no-create-home --shell /usr/sbin/nologin tablecast \
 && install -d -o tablecast -g tablecast /var/lib/tablecast
COPY --from=build /out/tablecast /usr/local/bin/tablecast
COPY --from=build /out/tablecast.spdx.json /usr/share/doc/tablecast/
USER 10001:10001
# The root file system may be read-only: the store is the only thing written.
VOLUME /var/lib/tablecast
WORKDIR /var/lib/tablecast
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["tablecast", "health"]
ENTRYPOINT ["tablecast"]
CMD ["serve", "--config", "/etc/tablecast/tablecast.yaml"]
