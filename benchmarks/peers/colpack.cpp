// ColPack's DISTANCE_ONE coloring in its five orders, on a graph given from memory: its readers are slow.
#include <ColPack/ColPackHeaders.h>

#include "driver.hpp"

using driver::Clock;
using driver::Csr;
using driver::Run;

struct Graph : ColPack::GraphColoringInterface {
    explicit Graph(const Csr& g) : GraphColoringInterface(SRC_WAIT) {
        // Its format for input from memory: a row is its length, then its columns.
        std::vector<unsigned> flat(std::size_t(g.n) + g.m);
        std::vector<unsigned*> rows(g.n);
        unsigned* at = flat.data();
        for (std::int32_t v = 0; v < g.n; v++) {
            rows[v] = at;
            *at++ = g.degree(v);
            at = std::copy(g.indices.begin() + g.indptr[v], g.indices.begin() + g.indptr[v + 1], at);
        }
        BuildGraphFromRowCompressedFormat(rows.data(), g.n);
        if (GetVertexCount() != g.n) throw std::runtime_error("ColPack did not take the graph");
    }

    Run color(const std::string& order) {
        // It keeps an order and a coloring, and would return them at once when asked again.
        ClearOrderingONLY();
        SetVertexColoringVariant("");
        GetVertexColorsPtr()->clear();
        Run run;
        Clock clock;
        OrderVertices(order);
        run.order_ms = clock.ms();
        GraphColoring::DistanceOneColoring();
        run.color_ms = clock.ms();
        run.colors = *GetVertexColorsPtr();
        if (run.colors.empty()) throw std::runtime_error("ColPack gave no colors");
        return run;
    }
};

int main(int, char** argv) {
    Graph g{Csr(argv[1])};
    driver::Codes codes;
    for (const char* order : {"natural", "largest_first", "smallest_last", "incidence_degree", "dynamic_largest_first"}) {
        std::string name = order;
        std::transform(name.begin(), name.end(), name.begin(), [](char c) { return c == '_' ? c : char(std::toupper(c)); });
        codes[order] = [&g, name] { return g.color(name); };
    }
    return driver::serve(codes, "Debian", false);  // its arrays stay, and so are seen in the first code only
}
