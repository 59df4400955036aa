// First-fit in plain C++: what one core can do, with a bit mask ("bits") and with a stamp array ("stamp").
#include "driver.hpp"

using driver::Clock;
using driver::Csr;
using driver::Run;

// The forbidden colors of a vertex of degree d lie in d + 1 bits: one register for most vertices.
static Run bits(const Csr& g) {
    Run run;
    Clock clock;
    run.colors.assign(g.n, -1);
    std::int32_t* color = run.colors.data();
    std::vector<std::uint64_t> wide;
    for (std::int32_t v = 0; v < g.n; v++) {
        const std::int32_t *w = g.indices.data() + g.indptr[v], *end = g.indices.data() + g.indptr[v + 1];
        const std::uint32_t d = std::uint32_t(end - w);
        if (d < 64) {
            std::uint64_t taken = 0;
            for (; w != end; w++) {
                const std::uint32_t c = color[*w];  // uncolored is 2³² − 1: no bit
                taken |= std::uint64_t(c < 64) << (c & 63);
            }
            color[v] = __builtin_ctzll(~taken);  // at most d bits are set, so one of 64 is free
            continue;
        }
        wide.assign(d / 64 + 1, 0);
        for (; w != end; w++) {
            const std::uint32_t c = color[*w];
            if (c <= d) wide[c / 64] |= std::uint64_t(1) << (c % 64);
        }
        std::int32_t word = 0;
        while (~wide[word] == 0) word++;
        color[v] = 64 * word + __builtin_ctzll(~wide[word]);
    }
    run.color_ms = clock.ms();
    return run;
}

static Run stamp(const Csr& g) {
    Run run;
    Clock clock;
    run.colors.assign(g.n, -1);
    std::vector<std::int32_t> seen(std::size_t(g.n) + 1, -1);  // the last vertex that saw a color
    for (std::int32_t v = 0; v < g.n; v++) {
        for (std::int32_t e = g.indptr[v]; e < g.indptr[v + 1]; e++) {
            const std::int32_t c = run.colors[g.indices[e]];
            if (c >= 0) seen[c] = v;
        }
        std::int32_t c = 0;
        while (seen[c] == v) c++;
        run.colors[v] = c;
    }
    run.color_ms = clock.ms();
    return run;
}

int main(int, char** argv) {
    const Csr g(argv[1]);
    return driver::serve({{"bits", [&] { return bits(g); }}, {"stamp", [&] { return stamp(g); }}}, "1");
}
