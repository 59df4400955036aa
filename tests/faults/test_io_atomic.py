"""A file is written whole or not at all: a failure leaves what was there, and nothing next to it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from corpus import graph

from lagcolor import io
from lagcolor.io.files import atomic


class Stop(BaseException):
    """An exception like Ctrl-C, which is not derived from Exception."""


@pytest.mark.parametrize("name", ["x.npy", "x.txt", "x.json", "x.mtx", "x.csr", "x.npz"])
def test_a_full_disk_names_the_file_in_every_format(name: str, tmp_path: Path) -> None:
    """The last bytes are written when the file is closed."""
    program = (
        "import resource, signal, sys, lagcolor\n"
        "G = lagcolor.generate.path(9)\n"
        "C = lagcolor.color(G, order='natural', verify=False)\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (8, 8))\n"
        "try:\n"
        "    lagcolor.io.write(sys.argv[1], G) if sys.argv[1][-3:] in ('mtx', 'csr', 'npz') else C.save(sys.argv[1])\n"
        "except OSError as e:\n"
        "    print(e.filename)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / name)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(tmp_path / name), done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["x.bin", "x.bin.gz"])
@pytest.mark.parametrize("error", [OSError("disk full"), Stop()])
def test_failure_while_writing(name: str, error: BaseException, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"as it was")
    with pytest.raises(type(error)), atomic(path) as out:
        out.write(b"half of it")
        out.flush()
        assert len(list(tmp_path.iterdir())) == 2  # the temporary file is here
        raise error
    assert [p.name for p in tmp_path.iterdir()] == [name] and path.read_bytes() == b"as it was"


def test_folder_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "g.el").mkdir()
    with pytest.raises(IsADirectoryError):
        io.write(tmp_path / "g.el", graph("path"))
    assert [p.name for p in tmp_path.iterdir()] == ["g.el"]


def test_mode_of_a_replaced_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "g.el"
    path.write_text("")
    path.chmod(0o640)
    io.write(path, graph("path"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real.el").write_text("")
    (tmp_path / "link.el").symlink_to(tmp_path / "real.el")
    io.write(tmp_path / "link.el", graph("path"))
    assert (tmp_path / "link.el").is_symlink()
    assert io.read(tmp_path / "real.el").n_edges == graph("path").n_edges


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And not the temporary file that is moved into its place."""

    def refuse(first: object, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(first))

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(PermissionError) as e:
        io.write(tmp_path / "x.mtx", graph("grid"))
    assert e.value.filename == str(tmp_path / "x.mtx")
    assert list(tmp_path.iterdir()) == []
