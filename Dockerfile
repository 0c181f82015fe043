# The container image of the server. docker-compose.yml adds PostgreSQL.
FROM swift:6.3-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
        libpq-dev libssl-dev libargon2-dev libcurl4-openssl-dev libarchive-dev zlib1g-dev \
        libreadstat-dev libxlsxwriter-dev libcmark-gfm-dev libqrencode-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY Package.swift ./
COPY sql sql
COPY Benchmarks Benchmarks
COPY Sources Sources
COPY Tests Tests
RUN swift build -c release --static-swift-stdlib --product saunter \
    && swift build -c release --static-swift-stdlib --product evaluator \
    && mkdir /out && cp .build/release/saunter .build/release/evaluator /out/

FROM debian:12-slim
# `saunter backup` needs PostgreSQL's programs to check the backup. The package must not create a database here.
RUN apt-get update && apt-get install -y --no-install-recommends \
        libpq5 libssl3 libargon2-1 libcurl4 libarchive13 zlib1g libreadstat1 libxlsxwriter4 libcmark-gfm0.29.0.gfm.6 libqrencode4 tzdata ca-certificates \
        postgresql-common \
    && sed -ri 's/^#?create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf \
    && apt-get install -y --no-install-recommends postgresql-15 \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 saunter \
    && useradd --uid 10001 --gid 10001 --no-log-init --shell /usr/sbin/nologin --home-dir /var/lib/saunter --create-home saunter
COPY --from=build /out/saunter /out/evaluator /usr/local/bin/
COPY Questionnaires /usr/share/saunter/Questionnaires
USER saunter
VOLUME /var/lib/saunter
ENV SAUNTER_DATA_DIR=/var/lib/saunter SAUNTER_HOST=0.0.0.0
EXPOSE 8080
# The exec form, so that the command receives SIGTERM. It then finishes its accepted work.
ENTRYPOINT ["saunter"]
CMD ["serve"]
HEALTHCHECK --interval=10s --timeout=6s --start-period=30s CMD ["saunter", "healthcheck", "--quiet"]
