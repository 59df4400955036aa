"""convert(inputs, folder): what is checked before any work, and what is kept after a failure."""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from ....core.errors import LagcolorError, OptionError
from ....core.options import flag, size, whole
from ....io.files import STDIN
from ....io.folder import Folder, check_target
from ....io.formats import first_line
from ....progress import listened
from .conversion import Conversion
from .keys import MOST
from .runs import Work
from .sources import Budget, files, kind

LEAST = 16_000_000  # bytes of memory
PARQUET = 20_000_000  # bytes that pyarrow takes beside the arrays that it gives
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@listened
def convert(
    inputs: Any, folder: str | os.PathLike[str], *, memory: int | str = "1GB", n: int | None = None,
    columns: Sequence[str] | None = None, header: bool | None = None, format: str | None = None, force: bool = False,
    restart: bool = False, progress: Any = None,
) -> Folder:  # fmt: skip
    """Make the folder of a graph of files of edges, in a bounded memory.

    Each pair is an undirected edge, in one direction or both; self-loops and repetitions are left out and counted. So
    are entries of matrix files, which need not be symmetric here: of A the graph of A ∪ Aᵀ is made, and the notes of
    the folder say so. Of the disk space that this takes, 16 bytes per edge are free again at the end.

    Sorted runs of edges are files in a folder beside the target, `<folder>.partial`. After a kill, Ctrl-C or a full
    disk the same call checks them, reads on from where they end, and merges them. Standard input, of which nothing can
    be read again, is read from its beginning unless it had been read to its end.

    Parameters
    ----------
    inputs : path-like or sequence of path-like
        Files, or folders of files: edge lists of numbers or names, Matrix Market, DIMACS and METIS (plain or .gz), as
        `lagcolor.io.read` takes them; ECL; npz; Parquet; .npy of shape (m, 2); folders of graphs without labels. "-" is
        standard input.
    folder : path-like
        To make, such as "web.csr".
    memory : int or str
        Bytes that arrays of the conversion may take, such as "4GB", beside what Python and its libraries take: some
        250 MB. Of Parquet files 20 MB are for their reader.
    n : int, optional
        Number of vertices; default: as formats say, else the largest number + 1. Numbers that are far apart (see
        `Graph.of`) become labels. A table of labels takes 4 bytes of memory per vertex (32, where numbers are 2³² or
        more), names their characters and about 260 bytes each.
    columns : pair of str, optional
        Columns of Parquet files and edge lists that hold both ends; default: the only two, or those named source and
        target or the like. A list of numbers without names of columns has the ends in the first two.
    header : bool, optional
        Whether the first line of an edge list names the columns; default: as for `lagcolor.io.read`.
    format : str, optional
        Of all files, by its name in `lagcolor.io.FORMATS`, or "parquet" or "npy"; default: what their names say;
        "edges" for standard input.
    force : bool
        Replace a graph that is there.
    restart : bool
        Forget an unfinished conversion.
    progress : callable, True or None
        As for `lagcolor.color`.

    Returns
    -------
    Folder
        Opened; its `notes` say how many edges were read, how many of them were self-loops, and how many repetitions;
        of matrices and lists of neighbors that are not symmetric also ``one_sided``, which is the number of entries
        without a mirror image, or less where entries are there twice.

    Raises
    ------
    FormatError, GraphError
        A file is malformed, what an earlier conversion left is damaged, or vertices have no numbers that fit.
    OptionError
        A parameter is, there is an unfinished conversion with others, or memory is too little: the message says the
        least.
    FileExistsError
        There is something at `folder`.
    OSError
        A file cannot be read or written, or the disk is too small.

    Warns
    -----
    NumberingWarning
        The vertices of edges seem to count from 1.
    AmbiguityWarning
        The first line of an edge list may be an edge or name the columns.

    Examples
    --------
    >>> with open("one.csv", "w") as one, open("two.txt", "w") as two:
    ...     _ = one.write("source,target\\n0,1\\n1,0\\n"), two.write("1 2\\n2 2\\n")
    >>> folder = lagcolor.convert(["one.csv", "two.txt"], "both.csr", memory="100MB")
    >>> folder.n, folder.n_edges
    (3, 2)
    >>> folder.notes
    {'edges': 4, 'loops': 1, 'repeated': 1}
    """
    bytes_ = size("memory", memory, LEAST)
    count = None if n is None else whole("n", n, 0, MOST - 1)
    force, restart = flag("force", force), flag("restart", restart)
    told = first_line(header, columns)
    target = Path(os.path.realpath(folder))
    check_target(target, force, "force")
    paths = files(inputs)
    if any(path != STDIN and _in(path, target) for path in paths):
        raise OptionError(f"{folder} is one of the inputs, or has one in it: take another name for the new graph")
    bytes_ = _usable(bytes_, {kind(path, format) for path in paths})
    arguments = {
        "inputs": [_about(p) for p in paths], "n": count, "format": format,
        "columns": None if columns is None else list(columns), "header": told and told.header,
    }  # fmt: skip
    work = Work(target, arguments, restart)
    try:
        graph = Conversion(work, Budget.of(bytes_), paths, count, told, format).run(target, force)
    except BaseException as e:
        kept = bool(work.runs)
        if not kept or (isinstance(e, LagcolorError) and not isinstance(e, OptionError)):
            work.remove()
        if isinstance(e, OSError) and e.errno in FULL and not (kept or e.filename):
            raise OSError(e.errno, f"{e.strerror}: make room there", str(target.parent)) from e
        if kept and isinstance(e, OSError) and e.errno in FULL:
            what = f"{e.strerror}; what is done is kept in {work.path}: make room, and the same call goes on"
            raise OSError(e.errno, what, e.filename) from e
        raise
    else:
        work.remove()
        return graph
    finally:
        work.close()


def _usable(memory: int, kinds: Collection[str]) -> int:
    """Bytes that are left for arrays of the conversion, where files of these formats are read."""
    memory = min(memory, _physical() // 2)  # buffers are as large as they may be, whatever there is to convert
    left = memory - PARQUET * ("parquet" in kinds)
    if left < LEAST:
        raise OptionError(
            f"memory={memory} is too little for Parquet, whose reader takes {PARQUET // 10**6} MB of it: pass "
            f"memory='{(LEAST + PARQUET) // 10**6}MB' or more"
        )
    return left


def _physical() -> int:
    """Bytes of this machine's memory, if it says so."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # other systems than Unix
        return 1 << 36


def _in(path: Path, folder: Path) -> bool:
    """Whether a file is a folder, or lies in it, by whatever name."""
    real = Path(os.path.realpath(path))
    return real == folder or (folder.exists() and any(map(folder.samefile, (real, *real.parents))))


def _about(path: Path) -> list[Any]:
    """What says that an input is the one of before."""
    if path == STDIN:
        return [str(path), 0, 0]
    about = os.stat(path / "graph.json" if path.is_dir() else path)
    return [os.path.realpath(path), about.st_size, about.st_mtime_ns]
