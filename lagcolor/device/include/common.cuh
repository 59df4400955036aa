// What every kernel here uses: types, single words that threads share, and functions of a warp, which semirings has, too;
// and the type of offsets.
#pragma once
#include "../semirings/kernels/atomics.cuh"
#include "../semirings/kernels/warp.cuh"
#include "device/include/offset.cuh"
