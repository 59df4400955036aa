// ColPack's colorings by OpenMP threads, on a graph in an .egr file: milliseconds and colors per number of threads, as
// JSON on the last line.
//
//   colpack_threads FILE RUNS THREADS…
//
// g++ -O3 -march=native -fopenmp benchmarks/peers/colpack_threads.cpp -lColPack
#include <ColPack/ColPackHeaders.h>
#include <ColPack/SMPGCColoring.h>

#include <cstdlib>
#include <numeric>

#include "driver.hpp"

// Its readers take text alone: of a graph without edges here, whose arrays are then replaced.
struct Graph : ColPack::SMPGCColoring {
    Graph(const driver::Csr& g, const std::string& empty) : SMPGCColoring(empty, "MM") {
        m_ia = g.indptr;
        m_ja = g.indices;
        m_max_degree = 0;
        for (int v = 0; v < g.n; v++) m_max_degree = std::max(m_max_degree, g.degree(v));
        m_avg_degree = double(g.m) / g.n;
        m_global_ordered_vertex.resize(g.n);
        std::iota(m_global_ordered_vertex.begin(), m_global_ordered_vertex.end(), 0);
    }
};

int main(int count, char** argv) {
    const std::string empty = std::string(argv[1]) + ".mtx";
    std::ofstream(empty) << "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n";
    Graph graph(driver::Csr(argv[1]), empty);
    std::remove(empty.c_str());
    using Code = std::function<int(int, int&, std::vector<int>&)>;
    const std::map<std::string, Code> codes = {
        {"GM3P", [&](int t, int& k, std::vector<int>& c) { return graph.D1_OMP_GM3P(t, k, c); }},
        {"JP", [&](int t, int& k, std::vector<int>& c) { return graph.D1_OMP_JP(t, k, c); }},
        {"distance2 GM3P", [&](int t, int& k, std::vector<int>& c) { return graph.D2_OMP_GM3P(t, k, c); }},
    };
    std::string out;
    for (const auto& [name, code] : codes) {
        out += (out.empty() ? "{\"" : ", \"") + name + "\": {";
        for (int i = 3; i < count; i++) {
            std::vector<double> ms;
            int colors = 0;
            std::vector<int> found;
            for (int run = 0; run < std::atoi(argv[2]); run++) {
                driver::Clock clock;
                code(std::atoi(argv[i]), colors, found);
                ms.push_back(clock.ms());
            }
            std::nth_element(ms.begin(), ms.begin() + ms.size() / 2, ms.end());
            out += (i > 3 ? ", \"" : "\"") + std::string(argv[i]) + "\": [" + std::to_string(ms[ms.size() / 2]) + ", " +
                   std::to_string(colors) + "]";
        }
        out += "}";
    }
    std::printf("%s}\n", out.c_str());
}
