"""What all other folders use: errors, options, progress, the log of a run, clocks, caches, and devices.

Start with `errors.py` and `options.py`. `log.py` has the log that algorithms write to, and stages, `progress.py` what
listeners get, `compile_clock.py` measures compile times, and `caches.py` says where compiled code is kept. `device/`
has the loops on CPU threads, the launches of CUDA kernels and the device library. This folder imports only `semirings`.
"""

__version__ = "1.0.0"
