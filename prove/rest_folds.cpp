#include "prove/rest_folds.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace satura::prove {

namespace {

Truth joined(bool is_or, Truth a, Truth b) {
    const Truth zero = is_or ? Truth::true_ : Truth::false_;
    if (a == zero || b == zero) return zero;
    if (a == Truth::null || b == Truth::null) return Truth::null;
    return is_or ? Truth::false_ : Truth::true_;
}

}  // namespace

SqlValue RestFolds::fold(std::uint32_t rest, bool is_or, std::optional<std::uint32_t> each) {
    std::vector<Fold>& folds = folds_[rest];
    const auto known = std::ranges::find_if(
        folds, [&](const Fold& fold) { return fold.is_or == is_or && fold.each == each; });
    if (known != folds.end()) return known->value;
    const std::string name = fmt::format("rest{}.{}", rest, folds.size());
    folds.push_back({is_or, each, values_.unknown(name, true, false)});
    return folds.back().value;
}

std::vector<Truth> RestFolds::elements(std::uint32_t rest) const {
    const auto at = elements_.find(rest);
    if (at != elements_.end()) return at->second;
    return {Truth::false_, Truth::true_, Truth::null};
}

std::optional<RestFolds::Reached> RestFolds::reach(std::uint32_t rest,
                                                   const std::vector<Fold>& folds,
                                                   const Each& each) const {
    Values units;
    for (const Fold& fold : folds) units.push_back(fold.is_or ? Truth::false_ : Truth::true_);
    Reached reached{{units, {}}};
    std::vector<Values> todo{units};
    while (!todo.empty()) {
        const Values from = todo.back();
        todo.pop_back();
        for (Truth element : elements(rest)) {
            Values to;
            for (std::size_t i = 0; i < folds.size(); ++i) {
                const auto made = folds[i].each ? each(*folds[i].each, element) : element;
                if (!made) return std::nullopt;
                to.push_back(joined(folds[i].is_or, from[i], *made));
            }
            std::vector<Truth> way = reached.at(from);
            way.push_back(element);
            if (reached.try_emplace(to, way).second) todo.push_back(to);
        }
    }
    return reached;
}

bool RestFolds::add_axioms(const Each& each, std::vector<Formula>& out) {
    bool is_exact = true;
    for (const auto& [rest, folds] : folds_) {
        const auto reached = reach(rest, folds, each);
        if (!reached) {
            is_exact = false;
            continue;
        }
        std::vector<Formula> ways;
        for (const auto& [values, elements] : *reached) {
            std::vector<Formula> parts;
            for (std::size_t i = 0; i < folds.size(); ++i)
                parts.push_back(values_.identical(folds[i].value, values_.truth(values[i])));
            ways.push_back(f_.all(parts));
        }
        out.push_back(f_.any(ways));
        reached_[rest] = *reached;
    }
    return is_exact;
}

std::optional<std::vector<Truth>> RestFolds::elements_of(
    std::uint32_t rest, const std::function<Truth(const SqlValue&)>& value) const {
    const auto folds = folds_.find(rest);
    const auto reached = reached_.find(rest);
    if (folds == folds_.end() || reached == reached_.end()) return std::nullopt;
    Values values;
    for (const Fold& fold : folds->second) values.push_back(value(fold.value));
    const auto at = reached->second.find(values);
    if (at == reached->second.end()) return std::nullopt;
    return at->second;
}

}  // namespace satura::prove
