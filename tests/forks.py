"""Commands and scripts run in forks of one process that has imported the library: a command's own start takes a second.

The process that starts has its own folder, output, exit code and environment, as any other. What a fork cannot show, an
import that is missing or too early, is tested with real processes.
"""

from __future__ import annotations

import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

COMMAND, SCRIPT = "command", "script"


class Forks:
    """The process that forks; `lagcolor` is a command line for a shell that runs the command in a fork."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._address = str(Path(self._folder.name) / "socket")
        words = [sys.executable, __file__, "serve", self._address]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdout is not None and self._process.stdout.readline() == b"ready\n"
        self.lagcolor = [sys.executable, "-S", "-E", "-s", __file__, "call", self._address]

    def close(self) -> None:
        """The process ends with its input."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._folder.cleanup()

    def run(self, kind: str, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        """Run `lagcolor WORDS` or `python WORDS` in a folder, and return the outcome."""
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err, open(os.devnull) as none:
            code = call(self._address, kind, words, cwd, [none.fileno(), out.fileno(), err.fileno()])
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(list(words), code, out.read(), err.read())


def call(address: str, kind: str, words: Sequence[str], cwd: Path, files: list[int]) -> int:
    """Have words run with these files for input, output and errors; the exit code, −1 where there is none."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        request = json.dumps({"kind": kind, "words": list(words), "cwd": str(cwd), "environment": dict(os.environ)})
        socket.send_fds(connection, [b"."], files)
        connection.sendall(request.encode() + b"\n")
        code = connection.makefile().readline()
        return int(code) if code else -1


def serve(address: str) -> None:
    """Fork for each caller, until the input ends."""
    import lagcolor
    from lagcolor.cli import main

    # Loads compiled code; on one thread, since only that one is in a fork.
    G = lagcolor.generate.from_spec("rgg:6")
    for algorithm in ("greedy", "dsatur"):
        lagcolor.color(G, algorithm)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no process waits for the forks
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        print("ready", flush=True)
        while sys.stdin not in select.select([sys.stdin, listener], [], [])[0]:
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                answer(connection, main)
            connection.close()


def answer(connection: socket.socket, main: object) -> None:
    """Run what a caller wants, tell the exit code, and end."""
    _, files, _, _ = socket.recv_fds(connection, 1, 3)
    request = json.loads(connection.makefile().readline())
    for target, file in enumerate(files):
        os.dup2(file, target)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environment"])
    code = 0
    try:
        if request["kind"] == COMMAND:
            sys.argv = ["lagcolor", *request["words"]]
            code = main()  # type: ignore[operator]
        else:
            sys.argv = request["words"]
            sys.path.insert(0, str(Path(sys.argv[0]).parent))
            runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as e:
        code = e.code if isinstance(e.code, int) else int(e.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    connection.sendall(f"{code}\n".encode())
    os._exit(code)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    else:
        sys.exit(call(sys.argv[2], COMMAND, sys.argv[3:], Path.cwd(), [0, 1, 2]))
