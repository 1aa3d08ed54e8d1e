// In place of postgres.cpp where libpq is not.
#include "tests/oracle/engine.hpp"

namespace satura::test {

Found find_postgres() { return {nullptr, "built without libpq"}; }

}  // namespace satura::test
