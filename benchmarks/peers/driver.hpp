// What every C++ driver shares: read a graph once, then answer one line of JSON to each line of input.
//
//   in                 out
//   (start)            {"codes": ["natural", ...], "version": "..."}
//   run natural        {"order_ms": 0.1, "color_ms": 2.5, "colors": 7, "memory_bytes": 4096}      bytes: see memory.hpp
//   dump FILE          {"written": 1000}     colors of the last run, int32, one a vertex
//   (end of input)     the driver ends
//
// Times are the driver's own monotonic clock around ordering and coloring; reading is outside.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/prctl.h>

#include <csignal>
#endif

#include "memory.hpp"

namespace driver {

struct Csr {  // .egr without weights: int32 n, m, indptr[n + 1], indices[m]
    std::int32_t n = 0, m = 0;
    std::vector<std::int32_t> indptr, indices;

    explicit Csr(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        read(file, &n, 1);
        read(file, &m, 1);
        indptr.resize(std::size_t(n) + 1);
        indices.resize(m);
        read(file, indptr.data(), indptr.size());
        read(file, indices.data(), indices.size());
        if (!file || indptr.front() != 0 || indptr.back() != m) throw std::runtime_error("not an .egr graph: " + path);
    }

    std::int32_t degree(std::int32_t v) const { return indptr[v + 1] - indptr[v]; }

private:
    static void read(std::ifstream& file, std::int32_t* to, std::size_t count) {
        file.read(reinterpret_cast<char*>(to), std::streamsize(count * sizeof *to));
    }
};

struct Run {
    double order_ms = 0, color_ms = 0;
    std::vector<std::int32_t> colors;
};

class Clock {
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

public:
    double ms() {  // since construction or the last call
        const auto now = std::chrono::steady_clock::now();
        const double passed = std::chrono::duration<double, std::milli>(now - start).count();
        start = now;
        return passed;
    }
};

using Codes = std::map<std::string, std::function<Run()>>;

// One run; the first of each code, which nobody times, tells the memory that it takes.
struct Runner {
    const Codes& codes;
    bool measures;  // not where the library keeps arrays from one code to the next
    std::map<std::string, long long> bytes = {};  // under 0: unknown
    Run last = {};

    void operator()(const std::string& word) {
        if (!measures) bytes.emplace(word, -1);
        if (bytes.count(word)) {
            last = codes.at(word)();
            return;
        }
        last = Run{};  // its memory shall not be there for this run
        const Growth growth;
        last = codes.at(word)();
        bytes[word] = growth.bytes();  // not after a run that throws: the next one is measured then
    }
};

inline void say_run(const Run& run, long long bytes) {
    const std::int32_t colors = run.colors.empty() ? 0 : *std::max_element(run.colors.begin(), run.colors.end()) + 1;
    std::printf("{\"order_ms\": %.6f, \"color_ms\": %.6f, \"colors\": %d, ", run.order_ms, run.color_ms, colors);
    std::printf("\"memory_bytes\": %s}\n", bytes < 0 ? "null" : std::to_string(bytes).c_str());
}

inline void answer(const std::string& line, Runner& runner) {
    const auto space = line.find(' ');
    const std::string verb = line.substr(0, space);
    const std::string word = space == std::string::npos ? "" : line.substr(space + 1);
    if (verb == "run" && runner.codes.count(word)) {
        runner(word);
        say_run(runner.last, runner.bytes.at(word));
    } else if (verb == "dump") {
        const auto& colors = runner.last.colors;
        std::ofstream file(word, std::ios::binary);
        file.write(reinterpret_cast<const char*>(colors.data()), std::streamsize(colors.size() * 4));
        file.close();
        if (!file) throw std::runtime_error("cannot write the colors");
        std::printf("{\"written\": %zu}\n", colors.size());
    } else {
        throw std::runtime_error("unknown command");
    }
}

// A run that hangs would never see its input end.
inline void end_with_parent() {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

// Answers commands until the input ends; `codes` maps the name of an order to what runs it.
inline int serve(const Codes& codes, const std::string& version, bool measures_memory = true) {
    end_with_parent();
    std::printf("{\"codes\": [");
    const char* comma = "";
    for (const auto& [name, run] : codes) std::printf("%s\"%s\"", std::exchange(comma, ", "), name.c_str());
    std::printf("], \"version\": \"%s\"}\n", version.c_str());
    std::fflush(stdout);
    Runner runner{codes, measures_memory};
    for (std::string line; std::getline(std::cin, line); std::fflush(stdout)) {
        try {
            answer(line, runner);
        } catch (const std::exception& e) {
            std::printf("{\"error\": \"%s\"}\n", e.what());
        }
    }
    return 0;
}

}  // namespace driver
