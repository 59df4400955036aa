"""What compiled code runs on: loading and launching kernels, the compile clock, caches, interrupts."""
