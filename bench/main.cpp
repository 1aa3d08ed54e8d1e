// satura-bench [mm [K_MAX]]: JSON, one object a line. Runs from the root of the source tree.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "bench/mm_bench.hpp"

int main(int count, char** arguments) {
    constexpr std::uint32_t k_default = 10;
    const std::string_view what = count > 1 ? arguments[1] : "mm";
    const long k = count > 2 ? std::strtol(arguments[2], nullptr, 10) : k_default;
    if (what != "mm" || k < 1 || k > satura::bench::mm_iterations_max) {
        std::fputs("usage: satura-bench [mm [K_MAX]], K_MAX from 1 to 11\n", stderr);
        return 2;
    }
    return satura::bench::run_mm("bench/mm.rules", static_cast<std::uint32_t>(k));
}
