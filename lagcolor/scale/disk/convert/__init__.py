"""Convert files of edges to a folder of a graph, in bounded memory, by external sorting.

Edges are read in chunks. Both directions of each edge become keys of 64 bits, which are sorted in memory and written as
runs. The runs are merged into rows. The files, in the order to read them:

=============  ====================================================================================
call           `lagcolor.convert`: checks before any work, and what remains after a failure
conversion     the stages
sources        sources of edges; `text` and `arrays` create them from formats of `lagcolor.io`
rows           edges become sorted keys; runs of keys become the arrays of the folder
runs           files of runs, from which a killed conversion resumes
=============  ====================================================================================
"""

from .call import convert

__all__ = ["convert"]
