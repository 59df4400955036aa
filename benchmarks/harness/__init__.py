"""Every algorithm and every peer on the same graphs, interleaved and verified: what `benchmarks.compare` runs.

In the order of the data: `graphs` names graphs, `codes` what to time, `session` goes through the graphs, `measure`
interleaves the codes of one, `worker` is the near and `host` the far end of a child process, `results` the file,
`tables` what people see. `benchmarks.harness.results` reads result files, docs/development/bench.md has their schema.

>>> from benchmarks.harness import graphs, session
>>> settings = session.Settings(graphs.resolve(["rgg:12"]), "results", algorithms=["first_fit", "greedy"])
>>> rows = session.run(settings).rows  # doctest: +SKIP
"""
