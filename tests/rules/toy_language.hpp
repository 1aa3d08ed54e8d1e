// A small language with types, words and a payload operator, for tests of the compiler.
#pragma once

#include <string>
#include <vector>

#include "egraph/egraph.hpp"
#include "egraph/runner.hpp"
#include "rules/algebra.hpp"
#include "rules/compile.hpp"
#include "rules/loader.hpp"

namespace satura::rules::test {

// Words: stable(e): false for a leaf v…; small(c), big(e), same(e, e), int_type(T), any(rest), is_less(op) as conditions;
// twice(c), evens(rest), wide(T) as computed parts. Types int and long; settings nan total|ieee.
class Toy : public Algebra {
  public:
    Toy();
    std::optional<egraph::Payload> parse_type(std::string_view text) override;
    std::optional<Argument> constant(std::string_view text, ArgumentSyntax::Kind how,
                                     ParameterKind as) override;
    Argument resolve(const egraph::Match& match, ParameterKind as, Place place) override;
    std::vector<Setting> settings() const override;

  private:
    void set_stable(Operand& operand, const egraph::EGraph& graph) const;
};

struct Outcome {
    std::string best;  // of the start term, the smallest equal term in prefix form
    egraph::Report report;
    std::uint32_t nodes = 0;
};

// Loads the text, saturates its first start term and says what it came to. Fails the test on an error of loading.
Outcome run(const std::string& text);
// The rendered errors of loading the text.
std::string errors_of(const std::string& text);

}  // namespace satura::rules::test
