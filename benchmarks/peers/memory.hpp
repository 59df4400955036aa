// By how much the resident set grows at its peak, as benchmarks/harness/memory.py has it for Python.
#pragma once

#include <algorithm>
#include <fstream>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace driver {

struct Sizes {  // of /proc/self/status, kB; under 0 where it does not tell
    long long peak = -1, now = -1, mapped = -1;

    static Sizes read() {
        Sizes out;
        std::ifstream status("/proc/self/status");
        for (std::string word; status >> word;) {
            if (word == "VmHWM:") status >> out.peak;
            else if (word == "VmRSS:") status >> out.now;
            else if (word == "RssFile:") status >> out.mapped;
        }
        return out;
    }
};

class Growth {  // since construction
    static constexpr long long slack = 4 << 10;  // kB that a fresh peak may be over the size: pages are counted in batches
    Sizes before;

public:
    Growth() {
#ifdef __GLIBC__
        malloc_trim(0);  // a run that finds free memory here would not seem to take it
#endif
        if (std::ofstream("/proc/self/clear_refs") << 5 << std::flush) before = Sizes::read();
    }

    // Mapped files, code for the most part, are not counted; under 0: unknown.
    long long bytes() const {
        if (before.peak < 0 || before.mapped < 0 || before.peak - before.now > slack) return -1;
        const Sizes after = Sizes::read();
        return 1024 * std::max(0LL, after.peak - before.now - std::max(0LL, after.mapped - before.mapped));
    }
};

}  // namespace driver
