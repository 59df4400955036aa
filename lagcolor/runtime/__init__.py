"""What both packages run on: loading and launching kernels, the compile clock, caches, interrupts."""
