#include "lang/random_tables.hpp"

#include <algorithm>
#include <numeric>

#include "lang/domain.hpp"
#include "lang/evaluate.hpp"
#include "lang/number.hpp"

namespace satura::lang {
namespace {

using Parents = std::vector<std::uint32_t>;

std::uint32_t root_of(Parents& parents, std::uint32_t i) {
    while (parents[i] != i) i = parents[i] = parents[parents[i]];
    return i;
}

void unite(Parents& parents, std::uint32_t a, std::uint32_t b) {
    const std::uint32_t x = root_of(parents, a);
    const std::uint32_t y = root_of(parents, b);
    parents[std::max(x, y)] = std::min(x, y);
}

void add_value(std::vector<Value>& pool, const Value& value) {
    const auto same = [&](const Value& v) { return identical(v, value); };
    if (!value.is_null() && std::ranges::none_of(pool, same)) pool.push_back(value);
}

// Adds the value of a text where it is one of the type.
void add_text(std::vector<Value>& pool, std::string_view text, Type type,
              const Semantics& semantics) {
    if (const auto value = parse_value(text, type, semantics)) add_value(pool, *value);
}

// The small values that every column of a type may have.
std::vector<Value> common_values(Type type, const Semantics& semantics) {
    std::vector<Value> pool;
    std::vector<std::string_view> texts;
    if (is_numeric(type)) texts = {"1", "2", "0", "3", "1.5"};
    // Equal and not identical, and what is not equal to itself everywhere.
    if (is_float(type)) texts.insert(texts.end(), {"-0", "NaN"});
    if (is_numeric(type) && !is_float(type) && !is_integer(type))
        texts.insert(texts.end(), {"1.0", "1.00", "NaN"});
    if (is_string(type)) texts = {"a", "b", "", "c"};
    switch (type.kind()) {
        case TypeKind::boolean:
            return {Value::boolean(true), Value::boolean(false)};
        case TypeKind::date:
            texts = {"2000-01-01", "2000-01-02", "1999-12-31"};
            break;
        case TypeKind::time:
            texts = {"00:00:00", "12:00:00"};
            break;
        case TypeKind::timestamp:
            texts = {"2000-01-01 00:00:00", "2000-01-02 12:00:00"};
            break;
        case TypeKind::timestamptz:
            texts = {"2000-01-01 00:00:00+00", "2000-01-02 12:00:00+00"};
            break;
        case TypeKind::interval:
            return {Value::interval(0, 1, 0), Value::interval(1, 0, 0)};
        default:
            break;
    }
    for (const std::string_view text : texts) add_text(pool, text, type, semantics);
    return pool;
}

// A literal, as a value of the column's type, and its neighbours.
void add_near(std::vector<Value>& pool, const Literal& literal, Type type,
              const Semantics& semantics) {
    if (literal.value.is_null()) return;
    if (literal.value.kind() == Value::Kind::text && is_string(type)) {
        std::string text(literal.value.as_text());
        add_text(pool, text, type, semantics);
        std::erase_if(text, [](char c) { return c == '%' || c == '_'; });  // a pattern of LIKE
        add_text(pool, text, type, semantics);
        add_text(pool, text + "a", type, semantics);
        return;
    }
    const Outcome cast = cast_value(literal.value, literal.type, type, semantics, Mode::raising);
    if (cast.state != Outcome::State::value || cast.value.is_null()) return;
    add_value(pool, cast.value);
    if (is_integer(type) || type.kind() == TypeKind::date) {
        if (const auto above = successor(type, cast.value, semantics)) add_value(pool, *above);
        if (const auto below = predecessor(type, cast.value, semantics)) add_value(pool, *below);
    } else if (is_exact_numeric(type) && !Number::is_nan(cast.value)) {
        const Wide digits = Number::digits(cast.value);
        const int scale = cast.value.kind() == Value::Kind::decimal ? cast.value.scale() : 0;
        for (const int step : {1, -1}) {
            add_text(pool, decimal_text(digits + step * power_of_ten(std::max(scale, 0)), scale),
                     type, semantics);
        }
    }
}

// Whether the operands of the operator are values of one kind that it sets beside each other.
bool compares(Op op) {
    switch (op) {
        case Op::nullif:
        case Op::greatest:
        case Op::least:
        case Op::in:
        case Op::between:
        case Op::like:
        case Op::in_subquery:
        case Op::coalesce:
            return true;
        default:
            return is_comparison(op);
    }
}

struct Leaves {
    std::vector<std::uint32_t> columns;
    std::vector<std::uint32_t> literals;
};

Leaves leaves_of(const Exprs& exprs, ExprId root) {
    Leaves out;
    std::vector<ExprId> open{root};
    std::vector<bool> seen(static_cast<std::size_t>(root) + 1, false);
    while (!open.empty()) {
        const ExprId id = open.back();
        open.pop_back();
        if (seen[static_cast<std::size_t>(id)]) continue;
        seen[static_cast<std::size_t>(id)] = true;
        if (exprs[id].op == Op::column) out.columns.push_back(exprs[id].payload);
        if (exprs[id].op == Op::literal) out.literals.push_back(exprs[id].payload);
        for (const ExprId child : exprs.children(id)) open.push_back(child);
    }
    return out;
}

// What a plan says of its columns, numbered by ColumnId: which belong together, and which literals stand beside them.
struct Reading {
    Parents parents;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> literals;  // column, literal
    std::vector<bool> read;

    void together(const std::vector<std::uint32_t>& columns) {
        for (const std::uint32_t column : columns) unite(parents, columns[0], column);
    }
};

void read_comparisons(const Plan& plan, Reading& out) {
    for (std::uint32_t i = 0; i < plan.exprs.size(); ++i) {
        const ExprNode& node = plan.exprs[ExprId{i}];
        if (node.op == Op::column) out.read[node.payload] = true;
        if (!compares(node.op)) continue;
        Leaves leaves = leaves_of(plan.exprs, ExprId{i});
        if (node.op == Op::in_subquery) {
            const Subquery& query = plan[SubqueryId{node.payload}];
            for (std::size_t k = 0; k < query.columns.size() && k < query.operands; ++k) {
                Leaves operand = leaves_of(plan.exprs, plan.exprs.children(ExprId{i})[k]);
                operand.columns.push_back(static_cast<std::uint32_t>(query.columns[k]));
                out.together(operand.columns);
            }
            continue;
        }
        out.together(leaves.columns);
        if (leaves.columns.empty()) continue;
        for (const std::uint32_t literal : leaves.literals)
            out.literals.emplace_back(leaves.columns[0], literal);
    }
}

// Columns that are made of others belong to them.
void read_relations(const Plan& plan, Reading& out) {
    const auto made_of = [&](ColumnId column, ExprId expr) {
        Leaves leaves = leaves_of(plan.exprs, expr);
        leaves.columns.push_back(static_cast<std::uint32_t>(column));
        out.together(leaves.columns);
        for (const std::uint32_t literal : leaves.literals) {
            out.literals.emplace_back(static_cast<std::uint32_t>(column), literal);
        }
    };
    const auto same = [&](ColumnId a, ColumnId b) {
        unite(out.parents, static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
    };
    for (const auto& items : plan.projects) {
        for (const ProjectItem& item : items) made_of(item.column, item.expr);
    }
    for (const Aggregate& aggregate : plan.aggregates) {
        for (const ProjectItem& key : aggregate.keys) made_of(key.column, key.expr);
        for (const AggregateCall& call : aggregate.calls) {
            if (call.function != "count" && !call.arguments.empty())
                made_of(call.column, call.arguments[0]);
        }
    }
    for (const Values& values : plan.values) {
        for (std::size_t i = 0; i < values.cells.size(); ++i) {
            made_of(values.columns[i % values.columns.size()], values.cells[i]);
        }
    }
    for (const SetOperation& operation : plan.set_operations) {
        const std::size_t width = operation.columns.size();
        for (std::size_t i = 0; i < operation.inputs.size(); ++i)
            same(operation.columns[i % width], operation.inputs[i]);
    }
    for (const CteScan& scan : plan.cte_scans) {
        const auto& columns = plan[scan.cte].columns;
        for (std::size_t i = 0; i < std::min(columns.size(), scan.columns.size()); ++i)
            same(scan.columns[i], columns[i]);
    }
}

}  // namespace

TableMaker::TableMaker(const Catalog& catalog, std::span<const Plan* const> plans,
                       const Context& context)
    : catalog_(catalog), context_(context), used_(catalog.size(), false) {
    std::uint32_t places = 0;
    for (std::uint32_t t = 0; t < catalog.size(); ++t) {
        first_.push_back(places);
        places += static_cast<std::uint32_t>(catalog[TableId{t}].columns.size());
    }
    read_.resize(places, false);
    Parents parents(places);
    std::iota(parents.begin(), parents.end(), 0U);
    for (const Plan* plan : plans) gather(*plan, parents);
    join_columns(parents);
    fill_pools(parents);
}

void TableMaker::gather(const Plan& plan, Parents& parents) {
    Reading reading;
    reading.parents.resize(plan.columns.size());
    reading.read.resize(plan.columns.size(), false);
    std::iota(reading.parents.begin(), reading.parents.end(), 0U);
    read_comparisons(plan, reading);
    read_relations(plan, reading);
    std::vector<std::uint32_t> places(plan.columns.size(), no_index);
    std::vector<std::uint32_t> of_class(plan.columns.size(), no_index);
    for (const TableInstance& instance : plan.instances) {
        if (!instance.table) continue;
        const auto table = static_cast<std::uint32_t>(*instance.table);
        used_[table] = true;
        for (const ColumnId column : instance.columns) {
            const auto id = static_cast<std::uint32_t>(column);
            if (plan[column].ordinal >= catalog_[*instance.table].columns.size()) continue;
            places[id] = place_of(table, plan[column].ordinal);
            if (reading.read[id]) read_[places[id]] = true;
            std::uint32_t& first = of_class[root_of(reading.parents, id)];
            if (first == no_index) first = places[id];
            unite(parents, first, places[id]);
        }
    }
    for (const auto& [column, literal] : reading.literals) {
        const std::uint32_t place = of_class[root_of(reading.parents, column)];
        if (place != no_index) mentions_.push_back({place, literal});
    }
}

// Foreign keys and checks join columns as the plans do. Tables that are referred to are used too.
void TableMaker::join_columns(Parents& parents) {
    for (bool grew = true; grew;) {
        grew = false;
        for (std::uint32_t t = 0; t < catalog_.size(); ++t) {
            if (!used_[t]) continue;
            for (const ForeignKey& key : catalog_[TableId{t}].foreign_keys) {
                const auto other = referenced_table(key);
                if (!other) continue;
                grew = grew || !used_[*other];
                used_[*other] = true;
                const auto columns = referenced_columns(key, *other);
                for (std::size_t i = 0; i < std::min(columns.size(), key.columns.size()); ++i) {
                    unite(parents, place_of(t, key.columns[i]), place_of(*other, columns[i]));
                }
            }
        }
    }
    for (std::uint32_t t = 0; t < catalog_.size(); ++t) {
        const Table& table = catalog_[TableId{t}];
        for (const Check& check : table.checks) {
            if (!check.root || !used_[t]) continue;
            const Leaves leaves = leaves_of(table.check_exprs, *check.root);
            for (const std::uint32_t column : leaves.columns) {
                for (const std::uint32_t literal : leaves.literals)
                    mentions_.push_back({place_of(t, column), literal});
            }
        }
    }
}

void TableMaker::fill_pools(Parents& parents) {
    for (std::uint32_t i = 0; i < read_.size(); ++i) classes_.push_back(root_of(parents, i));
    pools_.resize(read_.size());
    for (std::uint32_t t = 0; t < catalog_.size(); ++t) {
        const Table& table = catalog_[TableId{t}];
        for (std::uint32_t c = 0; c < table.columns.size() && used_[t]; ++c) {
            const std::uint32_t place = place_of(t, c);
            std::vector<Value>& pool = pools_[place];
            const Type type = table.columns[c].type;
            for (const Mention& mention : mentions_) {
                if (classes_[mention.place] != classes_[place]) continue;
                add_near(pool, context_.literals[LiteralId{mention.literal}], type,
                         context_.semantics);
            }
            for (const Value& value : common_values(type, context_.semantics))
                add_value(pool, value);
        }
    }
}

std::optional<std::uint32_t> TableMaker::referenced_table(const ForeignKey& key) const {
    const auto found = catalog_.find(key.schema, key.table, context_.semantics.dialect);
    if (!found) return std::nullopt;
    return static_cast<std::uint32_t>(*found);
}

std::vector<std::uint32_t> TableMaker::referenced_columns(const ForeignKey& key,
                                                          std::uint32_t table) const {
    const Table& other = catalog_[TableId{table}];
    std::vector<std::uint32_t> out;
    for (const std::string& name : key.referenced) {
        if (const auto column = other.find_column(name)) out.push_back(*column);
    }
    if (!key.referenced.empty()) return out;
    for (const Key& candidate : other.keys) {
        if (candidate.primary) return candidate.columns;
    }
    return out;
}

// Tables after those that they refer to, as far as there is such an order.
std::vector<std::uint32_t> TableMaker::order_of_tables() const {
    std::vector<std::uint32_t> out;
    std::vector<bool> done(catalog_.size(), false);
    for (std::size_t left = catalog_.size(); left > 0; --left) {
        std::uint32_t chosen = no_index;
        for (std::uint32_t t = 0; t < catalog_.size() && chosen == no_index; ++t) {
            const auto ready = [&](const ForeignKey& key) {
                const auto other = referenced_table(key);
                return !other || *other == t || done[*other];
            };
            if (!done[t] && std::ranges::all_of(catalog_[TableId{t}].foreign_keys, ready))
                chosen = t;
        }
        if (chosen == no_index)
            chosen = static_cast<std::uint32_t>(std::ranges::find(done, false) - done.begin());
        done[chosen] = true;
        if (used_[chosen]) out.push_back(chosen);
    }
    return out;
}

// Keys, NOT NULL and checks, among the rows that the table has.
bool TableMaker::keeps_rules(std::uint32_t t, const Row& row, const Database& database) const {
    const Table& table = catalog_[TableId{t}];
    for (std::size_t c = 0; c < row.size(); ++c) {
        if (row[c].is_null() && !table.columns[c].nullable) return false;
    }
    for (const Key& key : table.keys) {
        std::vector<Type> types;
        for (const std::uint32_t c : key.columns) types.push_back(table.columns[c].type);
        const auto part = [&](const Row& from) {
            Row out;
            for (const std::uint32_t c : key.columns) out.push_back(from[c]);
            return out;
        };
        const Row mine = part(row);
        if (key.nulls_distinct && std::ranges::any_of(mine, &Value::is_null)) continue;
        Groups others(std::move(types), context_.semantics);
        for (const Row& other : database.tables[t]) others.add(part(other));
        if (others.find(mine) != no_index) return false;
    }
    return std::ranges::all_of(table.checks, [&](const Check& check) {
        if (!check.root) return true;
        const Outcome holds = evaluate(table.check_exprs, *check.root, row, context_, Mode::total);
        return holds.state != Outcome::State::value || !holds.value.is_false();
    });
}

bool TableMaker::refers_well(std::uint32_t t, const Row& row, const Database& database) const {
    return std::ranges::all_of(catalog_[TableId{t}].foreign_keys, [&](const ForeignKey& key) {
        const auto other = referenced_table(key);
        if (!other) return true;
        const auto columns = referenced_columns(key, *other);
        if (columns.size() != key.columns.size()) return true;
        const bool open =
            std::ranges::any_of(key.columns, [&](std::uint32_t c) { return row[c].is_null(); });
        if (open) return true;
        const auto meets = [&](const Row& target) {
            for (std::size_t i = 0; i < columns.size(); ++i) {
                if (target[columns[i]].is_null()) return false;
                const Type type = catalog_[TableId{*other}].columns[columns[i]].type;
                if (compare(row[key.columns[i]], target[columns[i]], type, context_.semantics) != 0)
                    return false;
            }
            return true;
        };
        return (*other == t && meets(row)) || std::ranges::any_of(database.tables[*other], meets);
    });
}

// Draws numbers that are the same on every machine (splitmix64), and from them values and rows.
class TableMaker::Draw {
  public:
    Draw(const TableMaker& maker, const RandomTables& options)
        : maker_(maker), options_(options), state_(options.seed) {
        for (int i = 0; i < 3; ++i) next();
        sharp_ = chance(0.6);
    }

    bool chance(double share) { return static_cast<double>(next() >> 11) * 0x1.0p-53 < share; }
    std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(next() % n); }

    // A few values of each pool are drawn more often than the others, the same few in columns that are compared.
    Value value(std::uint32_t place, bool key) {
        const auto& pool = maker_.pools_[place];
        if (pool.empty()) return {};
        if (key || !sharp_ || chance(0.2)) return pool[below(pool.size())];
        const std::uint64_t salt = (options_.seed + 1) * 0x9E3779B97F4A7C15ULL ^
                                   maker_.classes_[place] * 0xBF58476D1CE4E5B9ULL;
        const std::size_t start = (salt >> 33) % pool.size();
        return pool[(start + below(2)) % pool.size()];
    }

    Row row(std::uint32_t t, const Database& database) {
        const Table& table = maker_.catalog_[TableId{t}];
        Row out(table.columns.size());
        for (std::uint32_t c = 0; c < out.size(); ++c) {
            if (table.columns[c].nullable && chance(options_.null_share)) continue;
            const auto holds = [&](const Key& key) {
                return std::ranges::find(key.columns, c) != key.columns.end();
            };
            const bool key = std::ranges::any_of(table.keys, holds);
            out[c] = value(maker_.place_of(t, c), key);
            if (key && is_integer(table.columns[c].type) && chance(0.3))
                out[c] = Value::integer(4 + below(8));
        }
        for (const ForeignKey& key : table.foreign_keys) refer(key, database, out);
        return out;
    }

  private:
    void refer(const ForeignKey& key, const Database& database, Row& row) {
        const auto other = maker_.referenced_table(key);
        if (!other ||
            std::ranges::any_of(key.columns, [&](std::uint32_t c) { return row[c].is_null(); }))
            return;
        const auto columns = maker_.referenced_columns(key, *other);
        const auto& targets = database.tables[*other];
        if (columns.size() != key.columns.size()) return;
        const Row* target = targets.empty() ? nullptr : &targets[below(targets.size())];
        for (std::size_t i = 0; i < columns.size(); ++i) {
            row[key.columns[i]] = target == nullptr ? Value() : (*target)[columns[i]];
        }
    }

    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }

    const TableMaker& maker_;
    const RandomTables& options_;
    std::uint64_t state_;
    bool sharp_ = false;
};

std::optional<Database> TableMaker::random(const RandomTables& options) const {
    constexpr int tries_max = 12;  // for one row
    Draw draw(*this, options);
    Database database;
    database.tables.resize(catalog_.size());
    for (const std::uint32_t t : order_of_tables()) {
        const Table& table = catalog_[TableId{t}];
        for (std::uint32_t c = 0; c < table.columns.size(); ++c) {
            if (!table.columns[c].nullable && pools_[place_of(t, c)].empty()) return std::nullopt;
        }
        const std::uint32_t rows =
            draw.chance(options.empty_share) ? 0 : 1 + draw.below(options.rows_max);
        for (std::uint32_t i = 0; i < rows; ++i) {
            // Now and then a row a second time, where no key forbids it.
            if (!database.tables[t].empty() && draw.chance(0.15)) {
                Row copy = database.tables[t][draw.below(database.tables[t].size())];
                if (keeps_rules(t, copy, database)) database.tables[t].push_back(std::move(copy));
                continue;
            }
            for (int tries = 0; tries < tries_max; ++tries) {
                Row row = draw.row(t, database);
                if (!keeps_rules(t, row, database) || !refers_well(t, row, database)) continue;
                database.tables[t].push_back(std::move(row));
                break;
            }
        }
    }
    return database;
}

}  // namespace satura::lang
