// ColPack's colorings by OpenMP threads, on a graph in an .egr file: milliseconds and colors per number of threads, a
// line of JSON for each.
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
    for (const auto& [name, code] : codes) {
        std::string times, found;
        for (int i = 3; i < count; i++) {
            std::vector<double> ms;
            std::vector<int> of_vertices;
            int colors = 0;
            for (int run = 0; run < std::atoi(argv[2]); run++) {
                driver::Clock clock;
                code(std::atoi(argv[i]), colors, of_vertices);
                ms.push_back(clock.ms());
            }
            std::nth_element(ms.begin(), ms.begin() + ms.size() / 2, ms.end());
            const std::string comma = i > 3 ? ", " : "";
            times += comma + std::to_string(ms[ms.size() / 2]);
            found += comma + std::to_string(colors);
        }
        std::printf("{\"code\": \"%s\", \"ms\": [%s], \"colors\": [%s]}\n", name.c_str(), times.c_str(), found.c_str());
        std::fflush(stdout);
    }
}
