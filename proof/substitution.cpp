#include "proof/substitution.hpp"

#include <algorithm>
#include <unordered_set>

namespace satura::proof {

using egraph::ClassId;
using lang::Op;
using rules::Sort;

namespace {

constexpr int rounds_max = 8;

}  // namespace

bool Substitution::is_touched(std::uint32_t cls) const {
    const rules::ColumnSets& sets = known_.plan_scope().column_sets;
    return std::ranges::any_of(sets[known_.columns(ClassId{cls})],
                               [&](lang::ColumnId c) { return columns_.contains(c); });
}

// All terms of the classes that read one of the columns, operands before their terms.
std::vector<std::uint32_t> Substitution::forms_below(TermId root) const {
    std::vector<std::uint32_t> out, todo{known_.find(index(root))};
    std::unordered_set<std::uint32_t> seen(todo.begin(), todo.end());
    while (!todo.empty()) {
        const std::uint32_t cls = todo.back();
        todo.pop_back();
        if (!is_touched(cls)) continue;
        known_.for_each_node(ClassId{cls}, [&](const egraph::NodeView& node) {
            out.push_back(egraph::raw(node.id));
            for (std::uint32_t child : node.children) {
                if (seen.insert(known_.find(child)).second) todo.push_back(known_.find(child));
            }
        });
    }
    std::ranges::sort(out);
    return out;
}

std::optional<TermId> Substitution::image_of(std::uint32_t id, const Images& images,
                                             Known& inside) const {
    const Term term = known_.terms()[TermId{id}];
    const rules::SqlOps::Meaning& m = known_.ops().meaning(term.op);
    if (m.sort == Sort::value && m.op == Op::column) {
        const auto at = columns_.find(lang::ColumnId{term.payload});
        return at == columns_.end() ? TermId{id} : at->second;
    }
    if (m.sort == Sort::value && m.op >= Op::opaque) return std::nullopt;
    std::vector<TermId> operands;
    for (std::uint32_t child : term.children) {
        const std::uint32_t cls = known_.find(child);
        const auto at = images.find(cls);
        if (is_touched(cls) && at == images.end()) return std::nullopt;
        operands.push_back(at == images.end() ? TermId{child} : at->second);
    }
    return inside.add(term.op, term.payload, std::move(operands));
}

// That the images of equal terms are equal is taken for granted here alone: where a column stands for what may raise, its range
// says something of rows that do not.
bool Substitution::leads_to(TermId from, TermId to) {
    if (!is_touched(known_.find(index(from)))) return known_.equal(from, to);
    const std::vector<std::uint32_t> forms = forms_below(from);
    Known inside(known_);
    Images images;
    bool is_news = true, is_shown = false;
    for (int round = 0; is_news && !is_shown && round < rounds_max; ++round) {
        is_news = false;
        for (std::uint32_t form : forms) {
            const auto image = image_of(form, images, inside);
            if (!image) continue;
            const auto [at, is_first] = images.emplace(known_.find(form), *image);
            if (!is_first && inside.equal(at->second, *image)) continue;
            if (!is_first) inside.merge(at->second, *image);
            is_news = true;
        }
        const auto made = images.find(known_.find(index(from)));
        is_shown = made != images.end() && inside.equal(made->second, to);
    }
    known_.enter_new();
    return is_shown;
}

}  // namespace satura::proof
