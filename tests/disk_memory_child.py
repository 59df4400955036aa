"""How much memory that is of no file a process takes for a coloring from disk: prints a line per order.

python disk_memory_child.py FOLDER MEMORY
"""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import time
from pathlib import Path

import numpy as np

import lagcolor


def anonymous() -> int:
    """Bytes that are resident and of no file."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))


def main() -> None:
    """Color the folder, which loads the code, and again while another thread looks."""
    folder, memory = sys.argv[1], int(sys.argv[2])
    for order in ("natural", None):
        lagcolor.color(folder, order=order, memory=memory, verify=False)
        gc.collect()
        if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):  # glibc keeps what was freed
            trim(0)
        before, seen, over = anonymous(), [0], threading.Event()

        def look(seen: list[int] = seen, over: threading.Event = over) -> None:
            while not over.is_set():
                seen[0] = max(seen[0], anonymous())
                time.sleep(0.0005)

        watch = threading.Thread(target=look)
        watch.start()
        try:
            result = lagcolor.color(folder, order=order, memory=memory, verify=False)
        finally:
            over.set()
            watch.join()
        print(seen[0] - before, int(np.bitwise_xor.reduce(result.colors * np.arange(len(result.colors)))))
        del result


main()
