"""Files of edges → a folder of a graph, in a bounded memory, by external sorting.

Edges are read in chunks; both directions of each are keys of 64 bits, which are sorted in memory and written as runs;
the runs are merged range by range into rows. The files, in the order to read them in:

=============  ====================================================================================
call           `lagcolor.convert`: what is checked, and what is kept after a failure
conversion     the stages
sources        what a source of edges is; `text`, `arrays` and `parquet` have them
names          names of vertices → numbers
runs           edges in memory until there are enough for a file
merge          files of sorted edges → files of rows
rows           rows → the arrays of the folder
parts          files of finished parts, from which a conversion that was killed resumes
=============  ====================================================================================
"""

from .call import convert

__all__ = ["convert"]
