"""Specs -> SVG and PNG by vl-convert, and the browser's chart library, each made once and kept.

Drawings are cached in memory by the digest of their spec, the least recently used dropped first. Drawing takes some
70 ms, one drawing at a time: pages only link to drawings, so that no page waits for one. The library (vega, vega-lite,
vega-embed with the expression interpreter) comes out of vl-convert's own bundle and is kept on disk.
"""

import hashlib
import importlib.metadata
import json
import logging
import threading
from collections import OrderedDict
from pathlib import Path

import vl_convert

from dashboards.charts import Spec

_CACHE_BYTES = 24_000_000
_SNIPPET = "window.vegaEmbed=vegaEmbed;"

log = logging.getLogger(__name__)


class Drawings:
    """A bounded cache of drawn charts; safe to use from several threads."""

    def __init__(self, *, max_bytes: int = _CACHE_BYTES) -> None:
        self._drawn: OrderedDict[str, bytes] = OrderedDict()
        self._max_bytes = max_bytes
        self._bytes = 0
        self._lock = threading.Lock()
        self._drawing = threading.Lock()

    def svg(self, spec: Spec) -> bytes:
        """Return the chart as an SVG document without scripts, styles or outside references."""
        return self._made(spec, "svg")

    def png(self, spec: Spec) -> bytes:
        """Return the chart as a PNG at twice its CSS size."""
        return self._made(spec, "png")

    def _made(self, spec: Spec, form: str) -> bytes:
        text = json.dumps(spec, sort_keys=True)
        digest = f"{form}:{hashlib.sha256(text.encode()).hexdigest()}"
        if (drawn := self._kept(digest)) is not None:
            return drawn
        with self._drawing:
            # Whoever waited here for the same chart finds it drawn.
            if (drawn := self._kept(digest)) is not None:
                return drawn
            drawn = _draw(text, form)
            self._keep(digest, drawn)
        return drawn

    def _kept(self, digest: str) -> bytes | None:
        with self._lock:
            if digest in self._drawn:
                self._drawn.move_to_end(digest)
                return self._drawn[digest]
        return None

    def _keep(self, digest: str, drawn: bytes) -> None:
        with self._lock:
            self._drawn[digest] = drawn
            self._bytes += len(drawn)
            while self._bytes > self._max_bytes and len(self._drawn) > 1:
                _, dropped = self._drawn.popitem(last=False)
                self._bytes -= len(dropped)


def _draw(spec: str, form: str) -> bytes:
    # No base address is allowed: a spec holds its data, and nothing is fetched.
    if form == "png":
        return bytes(vl_convert.vegalite_to_png(spec, scale=2, allowed_base_urls=[]))
    return str(vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])).encode()


class ChartLibrary:
    """The browser's chart library as one script of our own, made once per version and kept in a folder."""

    def __init__(self, folder: Path) -> None:
        version = f"{importlib.metadata.version('vl-convert-python')}-{vl_convert.get_vega_version()}"
        self.name = hashlib.sha256(f"{version}{_SNIPPET}".encode()).hexdigest()[:16]
        self._file = folder / f"vega-{self.name}.js"
        self._lock = threading.Lock()
        self._script: bytes | None = None

    def script(self) -> bytes:
        """Return the script; the first call ever takes a few seconds, which every later start is spared."""
        with self._lock:
            if self._script is None:
                self._script = self._read() or self._make()
            return self._script

    def make_in_background(self) -> None:
        """Make the script ready before the first page asks for it."""
        threading.Thread(target=self.script, name="chart-library", daemon=True).start()

    def _read(self) -> bytes | None:
        return self._file.read_bytes() if self._file.is_file() else None

    def _make(self) -> bytes:
        script = str(vl_convert.javascript_bundle(_SNIPPET)).encode()
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            unfinished = self._file.with_suffix(f".{threading.get_ident()}.tmp")
            unfinished.write_bytes(script)
            unfinished.replace(self._file)
        except OSError as error:
            log.warning(
                "the chart library cannot be kept in %s (%s): it is made anew at every start", self._file.parent, error
            )
        return script
