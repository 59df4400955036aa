"""convert(inputs, folder): checks before any work, and what remains after a failure."""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from ....base.errors import LagcolorError, OptionError
from ....base.log import listened
from ....base.options import flag, size, whole
from ....io.files import STDIN
from ....io.folder import Folder, check_target
from ....io.formats import first_line
from .conversion import Conversion
from .rows import MOST
from .runs import PartialFolder
from .sources import MemoryShares, files, kind

LEAST = 16_000_000  # least bytes of memory
PARQUET = 20_000_000  # bytes that pyarrow uses in addition to the arrays that it returns
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@listened
def convert(
    inputs: Any, folder: str | os.PathLike[str], *, memory: int | str = "1GB", n: int | None = None,
    columns: Sequence[str] | None = None, header: bool | None = None, format: str | None = None, force: bool = False,
    restart: bool = False, progress: Any = None,
) -> Folder:  # fmt: skip
    r"""Convert files of edges to a graph folder, in bounded memory.

    Each pair is an undirected edge, in one direction or both. Self-loops and repetitions are left out and counted.
    Matrix files need not be symmetric: a matrix A gives the graph of A ∪ Aᵀ, and the notes of the folder say so. Of the
    disk space in use during the conversion, 16 bytes per edge are free again at the end.

    Sorted runs of edges are written to a folder `<folder>.partial` next to the target. After a kill, Ctrl-C or a full
    disk, the same call checks these files, continues after them, and merges them. Standard input cannot be read twice:
    the call reads it from its beginning, unless it was read to its end.

    Parameters
    ----------
    inputs : path-like or sequence of path-like
        Files, or folders of files: edge lists of numbers or names, Matrix Market, DIMACS and METIS (plain or .gz), as
        in `lagcolor.io.read`; ECL; npz; Parquet; .npy of shape (m, 2) or (2, m); graph folders without labels. "-" is
        standard input.
    folder : path-like
        The folder to write, such as "web.csr".
    memory : int or str
        A limit in bytes, or text such as "4GB", for the arrays of the conversion. Python and its libraries need
        memory in addition. With Parquet files, their reader uses 20 MB of the limit.
    n : int, optional
        Number of vertices. Default: as the files declare, else the largest number plus one. Numbers with large gaps
        (see `Graph.of`) become labels. A table of labels takes 4 bytes of memory per vertex (32 if numbers are 2³² or
        more). Names take a Python string and an entry of a dictionary each.
    columns : pair of str, optional
        The columns of Parquet files and edge lists with both ends. Default: the only two columns, or two columns with
        names such as source and target. A file without a header has no names of columns.
    header : bool, optional
        Whether the first line of an edge list names the columns. Default: see `lagcolor.io.read`.
    format : str, optional
        The format of all files: a name in `lagcolor.io.FORMATS`, "parquet" or "npy". Default: determined by the file
        names; "edges" for standard input.
    force : bool
        Replace an existing graph.
    restart : bool
        Discard an unfinished conversion.
    progress : callable, True or None
        See `lagcolor.color`.

    Returns
    -------
    Folder
        The opened folder. Its `notes` have the numbers of edges read, self-loops and repetitions. For matrices and
        adjacency lists that are not symmetric, ``one_sided`` is the number of entries without a mirror image, or less
        if entries are repeated.

    Raises
    ------
    FormatError, GraphError
        A file is malformed, the files of an unfinished conversion are damaged, or vertices have no valid numbers.
    OptionError
        A parameter is invalid, there is an unfinished conversion with other parameters, or the memory limit is too
        small: the message gives the minimum.
    FileExistsError
        `folder` exists.
    OSError
        A file cannot be read or written, or the disk is full.

    Warns
    -----
    NumberingWarning
        The vertices of edges seem to count from 1.

    See Also
    --------
    color : Color the folder with ``color(folder, memory=…)``.
    lagcolor.io.read : Read a graph into memory.
    lagcolor.io.write : Write a graph from memory to a folder.

    Examples
    --------
    >>> with open("one.csv", "w") as one, open("two.txt", "w") as two:
    ...     _ = one.write("source,target\n0,1\n1,0\n"), two.write("0 2\n2 2\n")
    >>> folder = lagcolor.convert(["one.csv", "two.txt"], "both.csr", memory="100MB")
    >>> folder.n, folder.n_edges
    (3, 2)
    >>> folder.notes
    {'edges': 4, 'loops': 1, 'repeated': 1}
    """
    bytes_ = size("memory", memory, LEAST)
    count = None if n is None else whole("n", n, 0, MOST - 1)
    force, restart = flag("force", force), flag("restart", restart)
    hint = first_line(header, columns)
    target = Path(os.path.realpath(folder))
    paths = files(inputs)
    if any(path != STDIN and _in(path, target) for path in paths):
        raise OptionError(f"{folder} is one of the inputs, or has one in it: take another name for the new graph")
    check_target(target, force)
    bytes_ = _usable(bytes_, {kind(path, format) for path in paths})
    arguments = {
        "inputs": [_about(p) for p in paths], "n": count, "format": format,
        "columns": None if columns is None else list(columns), "header": hint and hint.header,
    }  # fmt: skip
    work = PartialFolder(target, arguments, restart)
    try:
        graph = Conversion(work, MemoryShares.of(bytes_), paths, count, hint, format).run(target, force)
    except BaseException as e:
        resumable = bool(work.runs)
        if not resumable or (isinstance(e, LagcolorError) and not isinstance(e, OptionError)):
            work.remove()
        if isinstance(e, OSError) and e.errno in FULL and (resumable or not e.filename):
            what = f"the finished part is stored in {work.path}: free some space, and the same call continues"
            what, where = (what, e.filename) if resumable else ("free some space there", str(target.parent))
            raise OSError(e.errno, f"{e.strerror}: {what}", where) from e
        raise
    else:
        work.remove()
        return graph
    finally:
        work.close()


def _usable(memory: int, kinds: Collection[str]) -> int:
    """Return the bytes for arrays of the conversion if files of these formats are read."""
    memory = min(memory, _physical() // 2)  # buffers have this size even for small inputs
    left = memory - PARQUET * ("parquet" in kinds)
    if left < LEAST:
        raise OptionError(
            f"memory={memory} is too little for Parquet, whose reader takes {PARQUET // 10**6} MB of it: pass "
            f"memory='{(LEAST + PARQUET) // 10**6}MB' or more"
        )
    return left


def _physical() -> int:
    """Return the bytes of this machine's memory, or 64 GiB if unknown."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # other systems than Unix
        return 1 << 36


def _in(path: Path, folder: Path) -> bool:
    """Whether a file is a folder, or is in it, also by another name."""
    real = Path(os.path.realpath(path))
    return real == folder or (folder.exists() and any(map(folder.samefile, (real, *real.parents))))


def _about(path: Path) -> list[Any]:
    """Return what identifies an input: its name, size and time of change."""
    if path == STDIN:
        return [str(path), 0, 0]
    about = os.stat(path / "graph.json" if path.is_dir() else path)
    return [os.path.realpath(path), about.st_size, about.st_mtime_ns]
