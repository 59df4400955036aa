"""Files of edges → a folder of a graph, in a bounded memory, by external sorting.

Edges are read in chunks; both directions of each are keys of 64 bits, which are sorted in memory and written as runs;
the runs are merged into rows. The files, in the order to read them in:

=============  ====================================================================================
call           `lagcolor.convert`: what is checked, and what is kept after a failure
conversion     the stages
sources        what a source of edges is; `text` and `arrays` make one of what `lagcolor.io` reads
rows           edges → sorted keys; runs of keys → the arrays of the folder
runs           files of runs, from which a conversion that was killed resumes
=============  ====================================================================================
"""

from .call import convert

__all__ = ["convert"]
