"""Git over HTTP for the stand-in: `git http-backend`, which is a CGI program, called for each request."""

import subprocess
from pathlib import Path

from jobs.demo_upstream.server import Reply, Request


def answer_git(request: Request, git_dir: Path, rest: str) -> Reply:
    """Return what git's own server says to a request for `rest` (`/info/refs`, `/git-upload-pack`) of a repository."""
    headers = request.headers
    environment = {
        "GIT_PROJECT_ROOT": str(git_dir.parent),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{git_dir.name}{rest}",
        "REQUEST_METHOD": request.method,
        "QUERY_STRING": request.query_string,
        "CONTENT_TYPE": headers.get("content-type", ""),
        "CONTENT_LENGTH": str(len(request.body)),
        "HTTP_CONTENT_ENCODING": headers.get("content-encoding", ""),
        "GIT_PROTOCOL": headers.get("git-protocol", ""),
        "REMOTE_ADDR": "127.0.0.1",
        # A repository that another account owns is served too: nothing in it is executed.
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
        "PATH": "/usr/local/bin:/usr/bin:/bin",
    }
    done = subprocess.run(["git", "http-backend"], input=request.body, env=environment, check=True, capture_output=True)
    head, _, body = done.stdout.partition(b"\r\n\r\n")
    given = dict(line.split(": ", 1) for line in head.decode("latin-1").split("\r\n") if ": " in line)
    status = int(given.pop("Status", "200").split()[0])
    return Reply(status=status, headers=given, chunks=(body,), length=len(body))
