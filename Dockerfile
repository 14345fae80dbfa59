# Two stages: Swift 6.3 on Debian 12 builds, debian:12-slim runs one binary with the Swift runtime inside it.
FROM swift:6.3-bookworm AS build
WORKDIR /src
COPY scripts scripts
RUN apt-get update && ./scripts/install-system-packages.sh && rm -rf /var/lib/apt/lists/*
COPY Package.swift ./
COPY Sources Sources
# Declared by the package: without them it can't be loaded.
COPY Tests Tests
RUN swift build --configuration release --product tablecast --static-swift-stdlib \
 && install -D -s -m 0755 "$(swift build --configuration release --static-swift-stdlib --show-bin-path)/tablecast" /out/tablecast

FROM debian:12-slim
# What the binary is linked with beyond libc, and the certificate authorities for upstreams' TLS.
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libcurl4 libicu72 libpq5 libre2-9 libsimdjson14 \
    libsqlite3-0 libssl3 libstdc++6 zlib1g \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 10001 tablecast \
 && useradd --uid 10001 --gid 10001 --no-create-home --shell /usr/sbin/nologin tablecast \
 && install -d -o tablecast -g tablecast /var/lib/tablecast
COPY --from=build /out/tablecast /usr/local/bin/tablecast
USER 10001:10001
# The root file system may be read-only: the store is the only thing written.
VOLUME /var/lib/tablecast
WORKDIR /var/lib/tablecast
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["tablecast", "health"]
ENTRYPOINT ["tablecast"]
CMD ["serve", "--config", "/etc/tablecast/tablecast.yaml"]
