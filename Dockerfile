# docgraph's command line. How to use it, and what has been tried: docs/containers.md
#
#   docker run --rm --init -v "$PWD:/work:ro" -v docgraph:/data docgraph ingest /work

FROM python:3.12-slim AS build
WORKDIR /build
# Every package of the lock, each checked by its hash. Wheels only: nothing is compiled.
COPY requirements-dev.lock ./
RUN ["pip", "download", "--no-cache-dir", "--require-hashes", "--no-deps", "--only-binary", ":all:", \
     "--dest", "wheels", "--requirement", "requirements-dev.lock"]
# From here on pip has those wheels and no network. It takes what docgraph needs and leaves the rest.
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN ["pip", "wheel", "--no-index", "--find-links", "wheels", "--no-deps", "--wheel-dir", "wheels", "."]
RUN ["python", "-m", "venv", "--without-pip", "/opt/docgraph"]
RUN ["pip", "--python", "/opt/docgraph", "install", "--no-index", "--find-links", "wheels", "docgraph[all]"]

FROM python:3.12-slim
# git reads commits (docgraph ingest --ref). /data is for a SQLite store, where there is no Postgres.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends git \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --user-group --no-create-home --home-dir /nonexistent \
      --shell /usr/sbin/nologin docgraph \
 && install --directory --owner docgraph --group docgraph /data /work
COPY --from=build /opt/docgraph /opt/docgraph
ENV PATH=/opt/docgraph/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    ORT_DISABLE_TELEMETRY=1 \
    DOCGRAPH_STORE=/data/docgraph.db
USER 10001:10001
WORKDIR /work
# Tries the model, and the store with its migrations, for real. It loads the model: not too often.
HEALTHCHECK --interval=5m --timeout=1m --start-period=1m CMD ["docgraph", "doctor"]
ENTRYPOINT ["docgraph"]
CMD ["--help"]
