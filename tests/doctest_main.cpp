// The main function of every test program. A file of its own: doctest's implementation is slow to
// compile.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
