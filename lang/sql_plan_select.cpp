// The clauses of one SELECT above FROM and WHERE.
#include <fmt/core.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>

#include "lang/sql_opaque.hpp"
#include "lang/sql_parse.hpp"
#include "lang/sql_plan_writer.hpp"
#include "lang/sql_query.hpp"

namespace satura::lang {

// From below: what each list computes is known to the one above it.
void PlanWriter::define_projects(const Block& block) {
    for (auto items = block.projects.rbegin(); items != block.projects.rend(); ++items) {
        std::vector<ExprId> meanings;
        for (const ProjectItem& item : **items) {
            meanings.push_back(block.exists ? no_expr : translate(item.expr, block));
        }
        for (std::size_t i = 0; i < meanings.size(); ++i) {
            if (meanings[i] != no_expr)
                defined_[static_cast<std::uint32_t>((**items)[i].column)] = meanings[i];
        }
    }
}

std::string PlanWriter::select_list(const Outputs& outputs, const Block& block) {
    std::string text;
    if (block.distinct) text = "distinct ";
    if (block.distinct_on != nullptr) {
        text = "distinct on (";
        for (std::size_t i = 0; i < block.distinct_on->keys.size(); ++i) {
            text += (i == 0 ? "" : ", ") + order_key({block.distinct_on->keys[i], false, false, {}},
                                                     outputs, block, false);
        }
        text += ") ";
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const std::size_t covered = star_at(outputs, i);
        const bool is_star = plan_[outputs[i].column].whole_row;
        if (covered == 0 && is_star &&
            star_of_.contains(static_cast<std::uint32_t>(outputs[i].column)))
            exact_ = false;
        std::size_t shown = i;
        while (covered > 0 && !plan_[outputs[shown].column].whole_row) ++shown;
        text += (i == 0 ? "" : ", ") + item_text(outputs[shown], block);
        if (covered > 0) i += covered - 1;
    }
    if (outputs.empty() && dialect_ != Dialect::postgres) text += '1';
    return text;
}

void PlanWriter::note_star(const std::vector<ColumnId>& columns) {
    const auto is_star = [&](ColumnId c) { return plan_[c].whole_row; };
    if (columns.size() < 2 || std::ranges::none_of(columns, is_star)) return;
    for (const ColumnId column : columns)
        star_of_[static_cast<std::uint32_t>(column)] = static_cast<std::uint32_t>(stars_.size());
    stars_.push_back(columns);
}

// How many of the outputs, from this one on, are all that a star stands for, in its order; 0 for none.
std::size_t PlanWriter::star_at(const Outputs& outputs, std::size_t i) const {
    const auto at = star_of_.find(static_cast<std::uint32_t>(outputs[i].column));
    if (at == star_of_.end()) return 0;
    const std::vector<ColumnId>& columns = stars_[at->second];
    if (outputs.size() - i < columns.size()) return 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
        if (outputs[i + k].column != columns[k]) return 0;
    }
    return columns.size();
}

std::string PlanWriter::item_text(const Output& output, const Block& block) {
    const auto column = static_cast<std::uint32_t>(output.column);
    ExprId meaning = defined_[column];
    if (meaning == no_expr) {
        exact_ = false;
        return name_text(output.name);
    }
    const ExprNode& node = scratch_[meaning];
    if (output.bare && node.op == Op::cast && node.implicit)
        meaning = scratch_.children(meaning)[0];
    const ExprNode& shown = scratch_[meaning];
    // A column that came down to a NULL below is one of the column's type.
    const bool null = output.bare_null && shown.op == Op::literal &&
                      context_.literals[LiteralId{shown.payload}].value.is_null();
    const std::string text = null ? "null" : text_of(meaning, block);
    if (!output.named || plan_.columns[column].whole_row) return text;
    const std::string name = name_text(output.name);
    const bool own =
        text == name || (text.size() > name.size() && text.ends_with('.' + name) &&
                         shown.op == Op::column && !names_[shown.payload].alias.empty());
    // What PostgreSQL calls an item is not what others call it, so a name that is read further out must be written there.
    const bool names_alike = dialect_ == Dialect::postgres || block.id == first_block;
    if (own || (names_alike && default_name(text) == output.name)) return text;
    return text + " as " + name;
}

// The name that a column of the result has by itself.
std::string PlanWriter::default_name(const std::string& item) const {
    const auto sql = parse_sql(item, dialect_, "select ");
    if (!sql || sql->tree().n_stmts != 1) return {};
    const PgQuery__Node& statement = *sql->tree().stmts[0]->stmt;
    if (statement.node_case != PG_QUERY__NODE__NODE_SELECT_STMT) return {};
    const PgQuery__SelectStmt& select = *statement.select_stmt;
    return select.n_target_list == 1 ? result_name(*select.target_list[0]->res_target->val)
                                     : std::string();
}

std::string PlanWriter::group_by(const Block& block) {
    if (block.aggregate == nullptr) return {};
    const Aggregate& aggregate = *block.aggregate;
    std::vector<std::string> keys;
    std::vector<ExprId> meanings;
    for (const ProjectItem& key : aggregate.keys) {
        keys.push_back(key_text(key.expr, block));
        meanings.push_back(translate(key.expr, block));
    }
    for (const AggregateCall& call : aggregate.calls) {
        define_call(call.column, call_text(call, block, false), call_text(call, block, true), block,
                    true);
    }
    for (std::size_t i = 0; i < meanings.size(); ++i) {
        defined_[static_cast<std::uint32_t>(aggregate.keys[i].column)] = meanings[i];
    }
    const auto listed = [&](const std::vector<std::uint32_t>& set) {
        std::string text;
        for (const std::uint32_t key : set) text += (text.empty() ? "" : ", ") + keys[key];
        return text;
    };
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < keys.size(); ++i) all.push_back(i);
    const std::string start = aggregate.distinct_sets ? " group by distinct " : " group by ";
    if (aggregate.sets.empty()) return all.empty() ? "" : start + listed(all);
    if (aggregate.sets.size() == 1 && aggregate.sets[0].empty()) return start + "()";
    bool rollup = aggregate.sets.size() == keys.size() + 1;
    for (std::size_t i = 0; i < aggregate.sets.size() && rollup; ++i) {
        rollup = aggregate.sets[i].size() == keys.size() - i &&
                 std::ranges::equal(aggregate.sets[i], std::span(all).first(keys.size() - i));
    }
    if (rollup) return start + "rollup (" + listed(all) + ')';
    std::string sets;
    for (const auto& set : aggregate.sets) sets += (sets.empty() ? "(" : ", (") + listed(set) + ')';
    return start + "grouping sets (" + sets + ')';
}

std::string PlanWriter::order_by(const std::vector<SortKey>& keys, const Outputs& outputs,
                                 const Block& block, bool names_only) {
    std::string text;
    for (const SortKey& key : keys) {
        text += (text.empty() ? " order by " : ", ") + order_key(key, outputs, block, names_only) +
                order_words(key);
    }
    return text;
}

// A column of the result by its name, or by its number where two have that name; else an expression.
std::string PlanWriter::order_key(const SortKey& key, const Outputs& outputs, const Block& block,
                                  bool names_only) {
    const ExprNode& node = plan_.exprs[key.expr];
    const auto output = node.op == Op::column
                            ? std::ranges::find(outputs, ColumnId{node.payload}, &Output::column)
                            : outputs.end();
    const bool stars =
        std::ranges::any_of(outputs, [&](const Output& o) { return plan_[o.column].whole_row; });
    if (output != outputs.end() && !plan_[output->column].whole_row) {
        const auto same = [&](const Output& other) {
            return !plan_[other.column].whole_row && same_name(other.name, output->name, dialect_);
        };
        const bool unique = std::ranges::count_if(outputs, same) == 1;
        if (unique && output->named && shows_name(*output, block)) return name_text(output->name);
        const bool constant = plan_.exprs[key.expr].op == Op::literal;
        if (!stars && (names_only || constant || !unique))
            return std::to_string(output - outputs.begin() + 1);
    }
    if (names_only) exact_ = false;
    const ExprId meaning = translate(key.expr, block);
    if (scratch_[meaning].op == Op::literal) return key_text(key.expr, block);
    // A bare name would be that of a column of the result.
    const bool clash = scratch_[meaning].op == Op::column &&
                       std::ranges::any_of(outputs, [&](const Output& other) {
                           return same_name(name_text(other.name),
                                            names_[scratch_[meaning].payload].bare, dialect_);
                       });
    return text_of(meaning, block, clash);
}

// Whether a column of the result has its name in every dialect: a computed one has if the text says so.
bool PlanWriter::shows_name(const Output& output, const Block& block) {
    if (output.name == "?column?") return false;
    const ExprId meaning = defined_[static_cast<std::uint32_t>(output.column)];
    if (meaning == no_expr ||
        (scratch_[meaning].op == Op::column && !names_[scratch_[meaning].payload].alias.empty())) {
        return true;
    }
    return default_name(text_of(meaning, block)) != output.name;
}

std::string PlanWriter::limits(const TopN& topn, const Block& block) {
    std::string limit;
    if (topn.limit != no_expr) {
        limit = expr_text(topn.limit, block);
        if (topn.with_ties) {
            limit = " fetch first " + (is_enclosed(limit) ? limit : '(' + limit + ')') +
                    " rows with ties";
        } else {
            limit = " limit " + limit;
        }
    }
    const std::string offset =
        topn.offset == no_expr ? "" : " offset " + expr_text(topn.offset, block);
    return topn.with_ties ? offset + limit : limit + offset;
}

}  // namespace satura::lang
