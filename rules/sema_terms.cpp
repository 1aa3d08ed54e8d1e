#include "rules/sema_terms.hpp"

#include <algorithm>

#include "rules/nearest.hpp"
#include "rules/term_parser.hpp"

namespace satura::rules {

namespace {

std::vector<std::uint32_t> reachable_terms(const SyntaxFile& file, std::uint32_t root) {
    std::vector<std::uint32_t> out{root};
    for (std::size_t i = 0; i < out.size(); ++i) {
        const Term& term = file.terms[out[i]];
        for (std::uint32_t o = 0; o < term.count; ++o) out.push_back(file.operand(term, o));
    }
    std::sort(out.begin(), out.end());
    return out;
}

bool is_run(TermKind kind) { return kind == TermKind::rest || kind == TermKind::each; }

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string operands(std::uint32_t count) {
    return std::to_string(count) + (count == 1 ? " operand" : " operands");
}

}  // namespace

const char* kind_name(VariableKind kind) {
    switch (kind) {
        case VariableKind::expression:
            return "an expression";
        case VariableKind::literal:
            return "a literal";
        case VariableKind::type:
            return "a type";
        case VariableKind::rest:
            return "a rest";
        case VariableKind::facts:
            return "facts";
        case VariableKind::op:
            return "an operator";
    }
    return "";
}

void ErrorSink::add(std::string code, Span span, std::string message, std::string help) {
    for (const lang::Diagnostic& e : errors_) {
        if (e.span.begin == span.begin && e.code == code) return;
    }
    errors_.push_back({std::move(code), span, std::move(message), std::move(help)});
}

std::uint32_t TermResolver::find(std::string_view name) const {
    for (std::uint32_t i = 0; i < out_.variables.size(); ++i) {
        if (out_.variables[i].name == name) return i;
    }
    return no_term;
}

std::uint32_t TermResolver::add_variable(const Name& name, VariableKind kind, bool computed) {
    out_.variables.push_back({name.text, kind, computed, no_term, name.span});
    rest_shapes_.resize(out_.variables.size(), egraph::Shape::sequence);
    return static_cast<std::uint32_t>(out_.variables.size() - 1);
}

std::vector<std::string> TermResolver::bound_names() const {
    std::vector<std::string> names;
    for (const Variable& v : out_.variables) names.push_back(v.name);
    return names;
}

std::string TermResolver::unbound_help(std::string_view name) const {
    const std::string near = nearest(name, bound_names());
    if (!near.empty()) return "did you mean ?" + near + "?";
    if (instance_.back) return "write \"=>\", or use the variable on both sides";
    const std::string shown = "?" + std::string(name);
    return "use " + shown + " on the left side, or compute it: let " + shown + " = word(…)";
}

std::uint32_t TermResolver::side(std::uint32_t term, Side side) {
    side_ = side;
    const std::vector<std::uint32_t> order = reachable_terms(file_, term);
    base_ = order.front();
    resolved_.assign(term - base_ + 1, no_term);
    absorbed_.assign(term - base_ + 1, {});
    is_absorbed_.assign(term - base_ + 1, false);
    is_in_each_.assign(term - base_ + 1, false);
    elements_.clear();
    for (std::uint32_t t : order) {
        const Term& node = file_.terms[t];
        if (node.kind == TermKind::each) find_elements(t);
        if (node.chained) is_absorbed_[file_.operand(node, 0) - base_] = true;
    }
    const Term& root = file_.terms[term];
    if (is_run(root.kind)) {
        errors_.add("rest-place", root.span, "a side cannot be a run of terms",
                    "rests and \"each\" stand among the operands of a set, bag or sequence");
        return 0;
    }
    for (std::uint32_t t : order) {
        in_each_ = is_in_each_[t - base_];
        resolve(t);
    }
    return resolved_.back();
}

std::uint32_t TermResolver::push(std::uint32_t index, ResolvedTerm term) {
    term.span = file_.terms[index].span;
    out_.terms.push_back(std::move(term));
    return resolved_[index - base_] = static_cast<std::uint32_t>(out_.terms.size() - 1);
}

void TermResolver::resolve(std::uint32_t index) {
    switch (file_.terms[index].kind) {
        case TermKind::variable:
            return resolve_variable(index);
        case TermKind::literal:
            return resolve_literal(index);
        case TermKind::rest:
            return resolve_rest(index);
        case TermKind::each:
            return resolve_each(index);
        case TermKind::apply:
            return resolve_apply(index);
    }
}

std::uint32_t TermResolver::use(const Name& name, VariableKind kind) {
    const std::string shown = "?" + name.text;
    if (side_ == Side::ground) {
        errors_.add("variable-in-start", name.span, "a term to start with has no variables",
                    "write the leaf " + name.text + " and declare it: operator " + name.text);
        return no_term;
    }
    if (instance_.find(name.text) != nullptr) {
        errors_.add(
            "kind-clash", name.span,
            shown + " is an operator by its \"for\", and stands here as " + kind_name(kind));
        return no_term;
    }
    const auto element = in_each_ ? elements_.find(name.text) : elements_.end();
    std::uint32_t variable = find(name.text);
    if (variable == no_term && element != elements_.end()) {
        variable = add_variable(name, VariableKind::expression, false);
        out_.variables[variable].element_of = element->second;
    }
    if (variable == no_term && side_ == Side::right) {
        errors_.add("unbound-variable", name.span,
                    shown + (instance_.back ? " is on one side of \"<=>\" only"
                                            : " is not on the left side"),
                    unbound_help(name.text));
        return no_term;
    }
    if (variable == no_term) return add_variable(name, kind, false);
    const Variable& known = out_.variables[variable];
    if (known.element_of != no_term && element == elements_.end()) {
        errors_.add("unbound-variable", name.span,
                    shown + " is an element of a rest and stands for something in \"each\" only",
                    "give one of the two another name");
    } else if (known.kind != kind) {
        errors_.add(
            "kind-clash", name.span,
            shown + " is " + kind_name(known.kind) + ", and stands here as " + kind_name(kind),
            "give one of the two another name");
    }
    return variable;
}

void TermResolver::resolve_variable(std::uint32_t index) {
    const Term& term = file_.terms[index];
    const auto declared = declared_.find(term.text);
    const std::uint32_t known = find(term.text);
    VariableKind kind = VariableKind::expression;
    if (declared != declared_.end()) kind = declared->second;
    if (known != no_term && out_.variables[known].kind == VariableKind::literal) {
        kind = VariableKind::literal;
    }
    if (kind != VariableKind::literal) kind = VariableKind::expression;
    ResolvedTerm node;
    node.kind = TermKind::variable;
    node.variable = use({term.text, term.span}, kind);
    push(index, std::move(node));
}

void TermResolver::resolve_literal(std::uint32_t index) {
    const Term& term = file_.terms[index];
    const auto payload = language_.literal(term.text, term.literal);
    if (!payload) {
        const char* what = term.literal == LiteralText::number   ? "numbers have no type here"
                           : term.literal == LiteralText::string ? "strings have no type here"
                                                                 : "this is no constant here";
        errors_.add("literal-without-type", term.span, what, language_.literal_help());
    }
    ResolvedTerm node;
    node.kind = TermKind::apply;
    node.op = language_.literal_operator();
    node.is_literal = true;
    node.payload = payload.value_or(0);
    node.name = term.text;
    push(index, std::move(node));
}

void TermResolver::resolve_rest(std::uint32_t index) {
    const Term& term = file_.terms[index];
    if (side_ == Side::left && find(term.text) != no_term &&
        out_.variables[find(term.text)].kind == VariableKind::rest) {
        errors_.add("rest-twice", term.span, "...?" + term.text + " stands twice on the left side",
                    "give the second one a name of its own");
    }
    ResolvedTerm node;
    node.kind = TermKind::rest;
    node.variable = use({term.text, term.span}, VariableKind::rest);
    push(index, std::move(node));
}

// The element's variable has the rest's name without its plural s.
void TermResolver::find_elements(std::uint32_t each) {
    const Span span = file_.terms[each].span;
    if (side_ != Side::right) {
        errors_.add("each-place", span, "\"each\" stands on right sides only",
                    side_ == Side::left ? "a rest, ...?qs, takes all elements" : "");
        return;
    }
    std::string found;
    for (std::uint32_t t : reachable_terms(file_, each)) {
        const Term& term = file_.terms[t];
        is_in_each_[t - base_] = true;
        if (term.kind == TermKind::each && t != each) {
            errors_.add("each-place", term.span, "\"each\" does not stand in another \"each\"",
                        "let a word compute the inner list");
        }
        if (term.kind != TermKind::variable) continue;
        const std::uint32_t rest = find(term.text + "s");
        if (rest == no_term || out_.variables[rest].kind != VariableKind::rest) continue;
        if (!found.empty() && found != term.text) {
            errors_.add("each-rest", term.span, "\"each\" goes over one rest, not over two",
                        "let a word compute one of the lists");
        }
        found = term.text;
        elements_[term.text] = rest;
    }
    if (!found.empty()) return;
    errors_.add("each-rest", span, "\"each\" has no variable that is an element of a rest",
                "the element of ...?qs is ?q: each f(?q)");
    for (std::uint32_t t : reachable_terms(file_, each)) {
        // So that its variables are not reported too.
        if (file_.terms[t].kind == TermKind::variable)
            elements_.try_emplace(file_.terms[t].text, 0);
    }
}

void TermResolver::resolve_each(std::uint32_t index) {
    const Term& term = file_.terms[index];
    ResolvedTerm node;
    node.kind = TermKind::each;
    node.operands = {resolved_[file_.operand(term, 0) - base_]};
    for (std::uint32_t t : reachable_terms(file_, index)) {
        const Term& inner = file_.terms[t];
        if (inner.kind != TermKind::variable) continue;
        const auto element = elements_.find(inner.text);
        if (element == elements_.end()) continue;
        node.variable = find(inner.text);
        node.over = element->second;
    }
    push(index, std::move(node));
}

std::string TermResolver::operator_text(const Term& term) {
    if (!term.operator_variable) return term.text;
    const std::string* op = instance_.find(term.text);
    if (op == nullptr) {
        errors_.add("unbound-variable", term.span,
                    "?" + term.text + " stands for an operator and has no \"for\"",
                    "add for ?" + term.text + " in < <= > >=");
        return "";
    }
    const auto result = mapped(term.map, *op);
    if (!result) {
        errors_.add("no-map", term.span,
                    std::string(TermParser::map_name(term.map)) +
                        " has no value for the operator " + quoted(*op),
                    "leave it out of the \"for\", or write a rule of its own for it");
        return "";
    }
    return *result;
}

void TermResolver::resolve_type(const Term& term, ResolvedTerm& node) {
    if (term.type.empty()) return;
    if (term.type_variable) {
        node.payload_variable = use({term.type, term.type_span}, VariableKind::type);
        return;
    }
    const auto type = language_.parse_type(term.type);
    if (!type) {
        errors_.add("unknown-type", term.type_span, "unknown type " + quoted(term.type),
                    "a type variable is written ?T");
    }
    node.payload = type.value_or(0);
}

void TermResolver::resolve_apply(std::uint32_t index) {
    const Term& term = file_.terms[index];
    ResolvedTerm node;
    node.kind = TermKind::apply;
    node.name = operator_text(term);
    if (node.name.empty()) {
        push(index, std::move(node));
        return;
    }
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < term.count; ++i) {
        count += is_run(file_.terms[file_.operand(term, i)].kind) ? 0 : 1;
    }
    const auto op = language_.operator_named(node.name, count);
    if (!op) {
        std::string help = language_.operator_help(node.name, count);
        if (help.empty() && term.count == 0) help = "a variable is written ?" + node.name;
        errors_.add("unknown-operator", term.span, "unknown operator " + quoted(node.name),
                    did_you_mean(node.name, language_.operator_names(), help));
        push(index, std::move(node));
        return;
    }
    node.op = op->op;
    node.payload = op->payload;
    node.shape = language_.signature()[op->op].shape;
    for (std::uint32_t i = 0; i < term.count; ++i) {
        const std::uint32_t operand = file_.operand(term, i) - base_;
        if (resolved_[operand] != no_term) {
            node.operands.push_back(resolved_[operand]);
        } else {
            node.operands.insert(node.operands.end(), absorbed_[operand].begin(),
                                 absorbed_[operand].end());
        }
    }
    resolve_type(term, node);
    const bool is_flat = node.shape == egraph::Shape::set || node.shape == egraph::Shape::bag;
    if (is_flat && is_absorbed_[index - base_]) {
        absorbed_[index - base_] = std::move(node.operands);
        return;
    }
    if (check_operands(term, node) && side_ == Side::left) check_left_elements(term, node);
    push(index, std::move(node));
}

bool TermResolver::check_operands(const Term& term, const ResolvedTerm& node) {
    const egraph::Operator& op = language_.signature()[node.op];
    for (std::uint32_t o : node.operands) {
        const ResolvedTerm& operand = out_.terms[o];
        if (!is_run(operand.kind)) continue;
        if (op.shape == egraph::Shape::fixed) {
            errors_.add("rest-place", operand.span,
                        quoted(node.name) + " has a fixed number of operands, so none is a rest",
                        "rests and \"each\" stand among the operands of a set, bag or sequence");
            return false;
        }
        const std::uint32_t rest = operand.kind == TermKind::rest ? operand.variable : operand.over;
        if (rest == no_term || rest >= rest_shapes_.size()) continue;
        const bool was_ordered = rest_shapes_[rest] == egraph::Shape::sequence;
        if (side_ == Side::left) {
            rest_shapes_[rest] = op.shape;
        } else if (op.shape == egraph::Shape::sequence && !was_ordered) {
            errors_.add("rest-order", operand.span,
                        "?" + out_.variables[rest].name +
                            " comes from a set or bag and has no order, which " +
                            quoted(node.name) + " needs",
                        "put it among the operands of a set or bag");
        }
    }
    const auto written = static_cast<std::uint32_t>(node.operands.size());
    if (op.shape == egraph::Shape::fixed && written != op.arity) {
        errors_.add(
            "arity", term.span,
            quoted(node.name) + " takes " + operands(op.arity) + ", not " + std::to_string(written),
            "write all of them, and no more");
        return false;
    }
    return true;
}

// What the engine can look for in sets, bags and sequences.
void TermResolver::check_left_elements(const Term& term, const ResolvedTerm& node) {
    if (node.shape == egraph::Shape::fixed) return;
    std::vector<std::uint32_t> rests;
    std::uint32_t runs = 0;
    bool in_run = false;
    for (std::uint32_t o : node.operands) {
        const bool is_rest = out_.terms[o].kind == TermKind::rest;
        if (is_rest) rests.push_back(o);
        if (!is_rest && !in_run) ++runs;
        in_run = !is_rest;
    }
    if (node.shape == egraph::Shape::sequence) {
        if (runs <= 1 && rests.size() <= 2 && (runs == 1 || rests.size() <= 1)) return;
        errors_.add("two-runs", term.span,
                    "a sequence is looked for as one run of operands, with a rest before and "
                    "after it",
                    "leave the other operands to the rest and look at it in a word");
        return;
    }
    if (rests.size() > 1) {
        errors_.add("two-rests", out_.terms[rests[1]].span,
                    quoted(node.name) + " has two rests, and it is not clear what goes where",
                    "leave one of them out");
    }
    if (rests.empty() && node.operands.size() < 2) {
        errors_.add("never-there", term.span,
                    quoted(node.name) + " of fewer than two operands is never found",
                    "one operand stands for itself, none is the unit; add ...?rest for any number");
    }
}

}  // namespace satura::rules
