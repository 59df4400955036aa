"""Graphs on disk: folders of arrays that are mapped into memory. The system's page cache has their pages.

=============  ====================================================================================
Folder         opens a folder (its format: lagcolor/io/folder)
Writer         writes a folder, rows in order
convert        `lagcolor.convert`: files of edges become a folder, by external sorting
mapped         a folder as a `Graph` whose arrays stay on disk
coloring       `lagcolor.color` with ``memory=``: the order, and the use of the memory
on_cpu         mapped rows are colored by the loops of engines/greedy/sequential.py
on_gpu         rows are copied to a GPU in blocks; rows.cu colors them
check          `lagcolor.verify` with ``memory=``
=============  ====================================================================================
"""

from ...io.folder import Folder, Writer
from .memory_map import mapped

__all__ = ["Folder", "Writer", "mapped"]
