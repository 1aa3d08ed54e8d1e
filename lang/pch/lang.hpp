// Precompiled: what most files of lang/ include and what takes long to read. Every file names what it needs all the same;
// `meson configure -Db_pch=false` builds without this one.

#include <fmt/core.h>
#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>
