"""Serves the application over loopback HTTP, as it is served in earnest, and asks it with a plain HTTP client."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import uvicorn
from fastapi import FastAPI


@contextmanager
def served(app: FastAPI, *, lifespan: bool = False) -> Iterator[str]:
    """Serve until the block ends; yields the root address.

    Args:
        lifespan: also do what starts with the application, such as making the chart library ready.
    """
    config = uvicorn.Config(app, log_config=None, ws="none", lifespan="on" if lifespan else "off")
    server = uvicorn.Server(config)
    # Named as TCP, so that the event loop sends small answers at once instead of waiting for an acknowledgement.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.005)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def asked(app: FastAPI) -> Iterator[httpx.Client]:
    """A client of the served application; it follows no redirect."""
    with served(app) as address, httpx.Client(base_url=address, timeout=30, trust_env=False) as client:
        yield client
