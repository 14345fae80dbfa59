# syntax=docker/dockerfile:1
# Two stages: Swift 6.3 on Debian 12 builds; the image is made of the binary and what it loads, without a shell.
#
# The base is of one release; `make image` gives it by the digest that its tag has. Debian's packages are those of a day where
# SNAPSHOT names one of snapshot.debian.org, such as 20260101T000000Z; Swift's stand in Package.resolved where there is one.
ARG BUILD_IMAGE=swift:6.3.1-bookworm

FROM ${BUILD_IMAGE} AS build
ARG SNAPSHOT=
WORKDIR /src
ENV DEBIAN_FRONTEND=noninteractive
# What changes seldom comes first: the system's packages, then the lean libraries, then Swift's packages.
COPY scripts/pin-debian.sh scripts/install-system-packages.sh scripts/
RUN --mount=type=cache,target=/var/cache/apt,sharing=locked --mount=type=cache,target=/var/lib/apt/lists,sharing=locked \
    ./scripts/pin-debian.sh "$SNAPSHOT" && apt-get update && \
    ./scripts/install-system-packages.sh git patchelf ca-certificates tzdata dpkg-dev build-essential libnghttp2-dev zlib1g-dev
COPY packaging/lean-libraries.sh packaging/
RUN --mount=type=cache,target=/var/cache/apt,sharing=locked --mount=type=cache,target=/var/lib/apt/lists,sharing=locked \
    ./packaging/lean-libraries.sh /lean
COPY packaging/build-binary.sh packaging/lean-icu.py packaging/
COPY Package.swift Package.resolve[d] ./
COPY Sources Sources
# Tests aren't copied: a change of one builds nothing anew.
RUN --mount=type=cache,target=/src/.build,sharing=locked --mount=type=cache,target=/root/.cache,sharing=locked \
    TABLECAST_WITHOUT_TESTS=1 ./packaging/build-binary.sh /lean && \
    install -D -m 0755 .build/release/tablecast /out/tablecast
COPY scripts/sbom.py scripts/
COPY packaging packaging
RUN ./packaging/make-root.sh /out/tablecast /root-of-image /lean

FROM scratch
LABEL org.opencontainers.image.title=Tablecast \
      org.opencontainers.image.description="Live table view-models over HTTP" \
      org.opencontainers.image.licenses=Apache-2.0
COPY --from=build /root-of-image /
# The builder keeps the owners of what it copies from a stage: the state's folder is this user's.
USER 10001:10001
# The root file system may be read-only: the store is the only thing written.
VOLUME /var/lib/tablecast
WORKDIR /var/lib/tablecast
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["/usr/bin/tablecast", "health"]
ENTRYPOINT ["/usr/bin/tablecast"]
CMD ["serve", "--config", "/etc/tablecast/tablecast.yaml"]
