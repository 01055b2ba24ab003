"""The long-running process: scheduler and web application together, or one of them, until it is told to stop.

SIGTERM and SIGINT end it within seconds, also as process 1 of a container: requests are answered to their end, jobs
end at their next step, git and worker processes are ended, and what was not committed is read again at the next start.
"""

import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType

import uvicorn
from fastapi import FastAPI

from dashboards.app import create_app
from jobs.duties import open_duties
from jobs.load_rules import load_rules
from jobs.one_at_a_time import folder_id, only_one, prepare_folder
from jobs.processes import end_descendants
from jobs.reading_engine import reading_engine
from jobs.receive_webhooks import webhook_receiver
from jobs.standby import Standby
from tracker.errors import TrackerError
from tracker.ruleset import Ruleset
from tracker.settings import Settings

SECONDS_TO_ANSWER = 2
SECONDS_TO_STEP = 1.0
"""How long a job may take to its next step before its processes are ended."""
SECONDS_TO_END = 3.0
SECONDS_BETWEEN_LOOKS = 0.2

log = logging.getLogger("tracker.serve")


def run(settings: Settings, *, ruleset: Ruleset | None = None, demo: bool = False) -> int:
    """Run the scheduler and the web application until told to stop; return the exit code.

    Args:
        ruleset: without it, the one that is shipped, with the maps of the rules folder.
        demo: mark the repositories of the settings as made up.

    Raises:
        TrackerError: it cannot start, with the remedy.
    """
    stop = threading.Event()
    with _stopping_signals(stop), ExitStack() as stack:
        prepare_folder(settings.var_folder)
        stack.enter_context(only_one(settings.var_folder))
        listener = stack.enter_context(listening(settings.host, settings.port))
        duties = stack.enter_context(open_duties(settings, ruleset=ruleset, stop=stop))
        duties.watch(demo=demo)
        standby = Standby(duties, folder_id(settings.var_folder))
        stack.callback(_end, standby)
        standby.start()
        with reading_engine(duties.settings) as engine, webhook_receiver(duties.settings) as receiver:
            app = create_app(duties.settings, engine, ruleset=duties.ruleset, receiver=receiver)
            _serve(app, listener, stop)
    return 0


def run_web(settings: Settings) -> int:
    """Run the web application alone, on a database that another process fills."""
    stop = threading.Event()
    with _stopping_signals(stop), ExitStack() as stack:
        listener = stack.enter_context(listening(settings.host, settings.port))
        engine = stack.enter_context(reading_engine(settings))
        receiver = stack.enter_context(webhook_receiver(settings))
        _serve(create_app(settings, engine, ruleset=load_rules(settings), receiver=receiver), listener, stop)
    return 0


def run_schedule(settings: Settings) -> int:
    """Run the scheduler alone."""
    stop = threading.Event()
    with _stopping_signals(stop), ExitStack() as stack:
        prepare_folder(settings.var_folder)
        stack.enter_context(only_one(settings.var_folder))
        duties = stack.enter_context(open_duties(settings, stop=stop))
        duties.watch()
        standby = Standby(duties, folder_id(settings.var_folder))
        stack.callback(_end, standby)
        standby.start()
        log.info("crawling into %s; Ctrl-C stops", settings.database_label)
        # `stop.wait()` could be caught by the signal while it holds the lock that setting the event needs.
        while not stop.is_set():
            time.sleep(SECONDS_BETWEEN_LOOKS)
        log.info("stopping")
    return 0


class _Server(uvicorn.Server):
    """Also tells the jobs to stop as soon as the signal comes, not only when the last request is answered."""

    def __init__(self, config: uvicorn.Config, stop: threading.Event) -> None:
        super().__init__(config)
        self._stop = stop

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._stop.set()
        super().handle_exit(sig, frame)


def _serve(app: FastAPI, listener: socket.socket, stop: threading.Event) -> None:
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=SECONDS_TO_ANSWER,
    )
    host, port = listener.getsockname()[:2]
    log.info("serving on %s; Ctrl-C stops", address(host, port), extra={"fields": {"host": host, "port": port}})
    if not stop.is_set():
        _Server(config, stop).run(sockets=[listener])
    log.info("stopping")


def address(host: str, port: int) -> str:
    """Return what to type into a browser on this machine."""
    if host in ("0.0.0.0", "::"):  # noqa: S104 - compared with, not bound to
        return f"http://127.0.0.1:{port} and on every other address of this machine"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _end(standby: Standby) -> None:
    """End the jobs, their processes, and, where a job hears nothing, this process: commits are whole or not at all."""
    if standby.stop(SECONDS_TO_STEP):
        end_descendants(os.getpid(), SECONDS_TO_END)
        return
    end_descendants(os.getpid(), SECONDS_TO_END)
    if not standby.stop(SECONDS_TO_END):
        log.warning("a job did not end in time; what it had not committed is read again at the next start")
        logging.shutdown()
        os._exit(0)


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Hold a port before anything else is started.

    Raises:
        TrackerError: it cannot be had, with the remedy.
    """
    try:
        family, kind, protocol, _, name = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as error:
        raise TrackerError(f"{host} is no address of this machine: {error.strerror}; try --host 127.0.0.1") from error
    with socket.socket(family, kind, protocol) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(name)
            listener.listen(128)
        except OSError as error:
            raise TrackerError(
                f"cannot listen on {host} port {port}: {error.strerror}; "
                f"stop the program that does, or choose another port: --port {port + 1 if port < 65535 else 8000}"
            ) from error
        yield listener


@contextmanager
def _stopping_signals(stop: threading.Event) -> Iterator[None]:
    """Let SIGTERM and SIGINT set the event; a second one, while the first is being heeded, ends the process at once.

    Process 1 of a container has no default for either, and would not hear them.
    """

    def handle(number: int, _frame: FrameType | None) -> None:
        if stop.is_set() and heard:
            end_descendants(os.getpid(), 0)
            os._exit(128 + number)
        heard.append(number)
        stop.set()

    heard: list[int] = []
    before = {number: signal.signal(number, handle) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
