// Boost Graph's sequential_vertex_coloring on boost::compressed_sparse_row_graph (boost::adjacency_list took 2 to 4 ×
// as long). -DINDEX=std::size_t is what a user gets who says nothing, -DINDEX=std::uint32_t is its quickest setting.
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/sequential_vertex_coloring.hpp>
#include <boost/graph/smallest_last_ordering.hpp>
#include <boost/version.hpp>
#include <numeric>

#include "driver.hpp"

using driver::Clock;
using driver::Csr;
using driver::Run;

using Index = INDEX;  // of vertices, edges and colors
using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                 boost::no_property, Index, Index>;
using Identity = boost::typed_identity_property_map<Index>;
using Order = std::vector<Index>;

static Graph build(const Csr& g) {
    std::vector<std::pair<Index, Index>> edges;
    edges.reserve(g.m);
    for (std::int32_t v = 0; v < g.n; v++)
        for (std::int32_t e = g.indptr[v]; e < g.indptr[v + 1]; e++) edges.emplace_back(v, g.indices[e]);
    return Graph(boost::edges_are_sorted, edges.begin(), edges.end(), Index(g.n));
}

template <class OrderMap>
static void color(const Graph& g, OrderMap order, Clock& clock, Run& run) {
    std::vector<Index> colors(num_vertices(g));
    boost::sequential_vertex_coloring(g, order, boost::make_iterator_property_map(colors.begin(), Identity()));
    run.color_ms = clock.ms();
    run.colors.assign(colors.begin(), colors.end());
}

static Run natural(const Graph& g) {
    Run run;
    Clock clock;
    color(g, Identity(), clock, run);  // no order array to read
    return run;
}

static Run in_order(const Graph& g, void (*make)(const Graph&, Order&)) {
    Run run;
    Clock clock;
    Order order(num_vertices(g));
    make(g, order);
    run.order_ms = clock.ms();
    color(g, boost::make_iterator_property_map(order.begin(), Identity()), clock, run);
    return run;
}

static void largest_first(const Graph& g, Order& order) {  // Boost has none: its users sort
    std::iota(order.begin(), order.end(), Index(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return out_degree(a, g) > out_degree(b, g); });
}

static void smallest_last(const Graph& g, Order& order) {
    std::vector<std::size_t> degree(order.size());  // the header compares it with a size_t
    std::vector<Index> marker(order.size());
    boost::smallest_last_vertex_ordering(g, boost::make_iterator_property_map(order.begin(), Identity()),
                                         boost::make_iterator_property_map(degree.begin(), Identity()),
                                         boost::make_iterator_property_map(marker.begin(), Identity()));
}

int main(int, char** argv) {
    const Graph g = build(Csr(argv[1]));
    return driver::serve({{"natural", [&] { return natural(g); }},
                          {"largest_first", [&] { return in_order(g, largest_first); }},
                          {"smallest_last", [&] { return in_order(g, smallest_last); }}},
                         BOOST_LIB_VERSION);
}
