#include "tests/optimizer/changed_proof.hpp"

namespace satura::test {

namespace {

// A term that no step speaks of: the NULL of a type that is not there.
proof::TermId add_stranger(proof::Proof& proof) {
    proof::WrittenTerm term;
    term.op = "literal";
    term.type = "interval";
    term.is_null = true;
    proof.terms.push_back(term);
    return proof::TermId{static_cast<std::uint32_t>(proof.terms.size() - 1)};
}

}  // namespace

std::vector<proof::Proof> changed_proofs(const proof::Proof& proof, std::size_t at,
                                         const std::vector<std::string>& rules) {
    std::vector<proof::Proof> out;
    const auto change = [&](const auto& f) {
        proof::Proof other = proof;
        const proof::TermId stranger = add_stranger(other);
        f(other.steps[at], stranger);
        out.push_back(std::move(other));
    };
    for (const std::string& rule : rules) {
        if (rule != proof.steps[at].rule)
            change([&](proof::Step& step, proof::TermId) { step.rule = rule; });
    }
    change([](proof::Step& step, proof::TermId stranger) { step.left = stranger; });
    change([](proof::Step& step, proof::TermId stranger) { step.right = stranger; });
    change([](proof::Step& step, proof::TermId) { step.left = proof::TermId{1'000'000}; });
    for (std::size_t b = 0; b < proof.steps[at].bindings.size(); ++b) {
        change([&](proof::Step& step, proof::TermId stranger) {
            proof::Binding& binding = step.bindings[b];
            if (binding.kind == proof::Binding::Kind::rest)
                binding.terms.push_back(stranger);
            else if (binding.kind == proof::Binding::Kind::type)
                binding.type = lang::Type{lang::TypeKind::date};
            else
                binding.terms[0] = stranger;
        });
        change([&](proof::Step& step, proof::TermId) { step.bindings[b].variable += "x"; });
        change([&](proof::Step& step, proof::TermId) {
            step.bindings.erase(step.bindings.begin() + static_cast<std::ptrdiff_t>(b));
        });
        change(
            [&](proof::Step& step, proof::TermId) { step.bindings.push_back(step.bindings[b]); });
    }
    return out;
}

}  // namespace satura::test
