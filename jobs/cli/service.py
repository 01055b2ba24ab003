"""tracker run | web | schedule | demo: the processes that stay up."""

import argparse
import logging
import os
from dataclasses import replace

from jobs.cli.context import Context, add_command, version
from jobs.log import set_up_logging
from tracker.settings import Settings

log = logging.getLogger("tracker.serve")


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    run = add_command(
        commands,
        "run",
        _run,
        summary="crawl, judge and serve in one process, until told to stop",
        details="It crawls the repositories of TRACKER_REPOSITORIES at once and then at intervals, and serves the "
        "dashboard. Without a network it stays up, tries again with growing pauses, and serves what it has.",
        example="TRACKER_REPOSITORIES=pytorch/pytorch=/clones/pytorch@main tracker run --port 8080",
    )
    web = add_command(
        commands,
        "web",
        _web,
        summary="serve the dashboard only, from a database that `tracker schedule` fills",
        example="TRACKER_DATABASE_URL=postgresql://tracker@db/tracker tracker web --host 0.0.0.0",
    )
    add_command(
        commands,
        "schedule",
        _schedule,
        summary="run the crawls and the other jobs only, without a dashboard",
        example="TRACKER_DATABASE_URL=postgresql://tracker@db/tracker tracker schedule",
    )
    demo = add_command(
        commands,
        "demo",
        _demo,
        summary="run the whole product on a small made-up upstream, without any network",
        details="Everything it shows is made up and says so. It uses a folder and a database of its own, made anew at "
        "each start.",
        example="tracker demo --port 8080",
    )
    for parser in (run, web, demo):
        parser.add_argument("--host", help="address to listen on (default: TRACKER_HOST, else 127.0.0.1)")
        parser.add_argument("--port", type=_port, help="port to listen on (default: TRACKER_PORT, else 8000)")


def _run(arguments: argparse.Namespace, context: Context) -> int:
    settings = _settings(arguments, context)
    from jobs.serve import run

    return run(settings)


def _web(arguments: argparse.Namespace, context: Context) -> int:
    settings = _settings(arguments, context)
    from jobs.serve import run_web

    return run_web(settings)


def _schedule(arguments: argparse.Namespace, context: Context) -> int:
    settings = _settings(arguments, context)
    from jobs.serve import run_schedule

    return run_schedule(settings)


def _demo(arguments: argparse.Namespace, context: Context) -> int:
    from jobs.demo.run import run_demo

    return run_demo(_settings(arguments, context))


def _settings(arguments: argparse.Namespace, context: Context) -> Settings:
    settings = context.settings
    set_up_logging(settings, context.err)
    # Said before the parts of the service are loaded, which takes seconds on a busy machine.
    log.info("starting tracker %s (process %d)", version(), os.getpid())
    host, port = getattr(arguments, "host", None), getattr(arguments, "port", None)
    return replace(
        settings,
        host=host if host is not None else settings.host,
        port=port if port is not None else settings.port,
    )


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: a number from 0 (any free one) to 65535 is needed")
    return int(text)
