#include "proof/substitution.hpp"

#include <algorithm>
#include <unordered_set>

namespace satura::proof {

using egraph::ClassId;
using lang::Op;
using rules::Sort;

namespace {

constexpr std::size_t images_max = 4;  // of one class
constexpr int rounds_max = 4;

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

bool Substitution::add(std::uint32_t term, std::uint32_t image, Images& images) const {
    std::vector<std::uint32_t>& known = images[known_.find(term)];
    const bool is_there = std::ranges::any_of(
        known, [&](std::uint32_t k) { return known_.find(k) == known_.find(image); });
    if (is_there || known.size() == images_max) return false;
    known.push_back(image);
    return true;
}

bool Substitution::add_images(std::uint32_t id, Images& images) {
    const Term term = known_.terms()[TermId{id}];
    const rules::SqlOps::Meaning& m = known_.ops().meaning(term.op);
    if (m.sort == Sort::value && m.op == Op::column) {
        const auto at = columns_.find(lang::ColumnId{term.payload});
        return at != columns_.end() && add(id, index(at->second), images);
    }
    if (m.sort == Sort::value && m.op >= Op::opaque) return false;
    const std::vector<std::uint32_t> children(term.children.begin(), term.children.end());
    std::size_t choices = 1;
    for (std::uint32_t child : children) {
        if (!is_touched(known_.find(child))) continue;
        const auto at = images.find(known_.find(child));
        if (at == images.end()) return false;
        choices = std::max(choices, at->second.size());
    }
    bool is_news = false;
    for (std::size_t choice = 0; choice < choices; ++choice) {
        std::vector<TermId> operands;
        for (std::uint32_t child : children) {
            const auto at = images.find(known_.find(child));
            const bool is_kept = at == images.end() || !is_touched(known_.find(child));
            operands.push_back(
                TermId{is_kept ? child : at->second[std::min(choice, at->second.size() - 1)]});
        }
        const TermId image = known_.add(term.op, term.payload, std::move(operands));
        is_news = add(id, index(image), images) || is_news;
    }
    return is_news;
}

bool Substitution::leads_to(TermId from, TermId to) {
    if (!is_touched(known_.find(index(from)))) return known_.equal(from, to);
    const std::vector<std::uint32_t> forms = forms_below(from);
    Images images;
    for (int round = 0; round < rounds_max; ++round) {
        bool is_news = false;
        for (std::uint32_t form : forms) is_news = add_images(form, images) || is_news;
        const auto made = images.find(known_.find(index(from)));
        if (made != images.end() && std::ranges::any_of(made->second, [&](std::uint32_t image) {
                return known_.equal(TermId{image}, to);
            }))
            return true;
        if (!is_news) return false;
    }
    return false;
}

}  // namespace satura::proof
