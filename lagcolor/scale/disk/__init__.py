"""Graphs on disk: folders of arrays that are memory maps. Their pages belong to the system's page cache.

=============  ====================================================================================
Folder         opens a folder (its format: lagcolor/io/folder)
Writer         makes one, rows in order
convert        `lagcolor.convert`: one of files of edges, by external sorting
mapped         a folder as a `Graph` whose arrays stay on disk
coloring       `lagcolor.color` with ``memory=``: the order, and how many bytes there are for what
on_cpu         rows colored where they lie, by the loops of engines/greedy/sequential.py
on_gpu         rows copied to a GPU, block by block; rows.cu colors them
check          `lagcolor.verify` with ``memory=``
=============  ====================================================================================
"""

from ...io.folder import Folder, Writer
from .memory_map import mapped

__all__ = ["Folder", "Writer", "mapped"]
