# Two stages: wheels are gathered with their hashes checked, then installed into a slim image that holds no compiler.
FROM python:3.12-slim-bookworm AS build
WORKDIR /build
COPY requirements.lock ./
RUN python -m pip wheel --no-cache-dir --disable-pip-version-check --require-hashes --only-binary=:all: \
      --wheel-dir /wheels -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY tracker tracker
COPY db db
COPY jobs jobs
COPY dashboards dashboards
RUN python -m pip wheel --no-cache-dir --disable-pip-version-check --no-deps --wheel-dir /wheels .

FROM python:3.12-slim-bookworm
# git reads the upstream repositories.
RUN apt-get update \
 && apt-get install -y --no-install-recommends git=1:2.39.* \
 && rm -rf /var/lib/apt/lists/*
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    python -m pip install --no-cache-dir --disable-pip-version-check --no-index --no-deps /wheels/*.whl
RUN useradd --system --uid 10001 --home-dir /var/lib/tracker --create-home tracker
USER tracker
WORKDIR /var/lib/tracker
ENV PYTHONUNBUFFERED=1 TRACKER_VAR_FOLDER=/var/lib/tracker/var
VOLUME /var/lib/tracker
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/livez', timeout=4)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["tracker"]
CMD ["run", "--host", "0.0.0.0", "--port", "8000"]
