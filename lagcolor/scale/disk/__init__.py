"""Graphs on disk: folders of arrays that are read where they lie.

=============  ====================================================================================
Folder         opens a folder (its format: lagcolor/io/folder)
Writer         makes one, rows in order
convert        `lagcolor.convert`: one of files of edges, by external sorting
coloring       `lagcolor.color` with ``memory=``: the steps, and who holds how many bytes
blocks         which rows are in memory at a time
reading        pieces of files, read by threads as far ahead as there is room
on_cpu         the steps on a CPU; cpu: its compiled loops
on_gpu         the steps on a GPU; rows.cu: its kernels
spill          rows that wait for others, in a file, and merged in their order
check          `lagcolor.verify` with ``memory=``
mapped         a folder as a `Graph` whose arrays stay on disk
=============  ====================================================================================
"""

from ...io.folder import Folder, Writer
from .mapped import mapped

__all__ = ["Folder", "Writer", "mapped"]
