#include "lang/sql_tree.hpp"

#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace satura::lang {
namespace {

template <class T>
const T& member_at(const ProtobufCMessage& message, unsigned offset) {
    return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(&message) + offset);
}

bool is_location(const ProtobufCFieldDescriptor& field) {
    const std::string_view name = field.name;
    return name == "location" || name == "stmt_location" || name == "stmt_len";
}

// The field is absent: another member of a oneof is set.
bool is_unset(const ProtobufCMessage& message, const ProtobufCFieldDescriptor& field) {
    return (field.flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0 &&
           member_at<std::uint32_t>(message, field.quantifier_offset) != field.id;
}

// The messages directly below, in the order of the fields.
void collect_children(const ProtobufCMessage& message, std::vector<const ProtobufCMessage*>& out) {
    for (unsigned i = 0; i < message.descriptor->n_fields; ++i) {
        const ProtobufCFieldDescriptor& field = message.descriptor->fields[i];
        if (field.type != PROTOBUF_C_TYPE_MESSAGE || is_unset(message, field)) continue;
        if (field.label == PROTOBUF_C_LABEL_REPEATED) {
            const auto count = member_at<std::size_t>(message, field.quantifier_offset);
            const auto* items = member_at<ProtobufCMessage* const*>(message, field.offset);
            out.insert(out.end(), items, items + count);
        } else if (const auto* child = member_at<const ProtobufCMessage*>(message, field.offset)) {
            out.push_back(child);
        }
    }
}

void append_number(std::string& out, std::uint64_t n) {
    out += std::to_string(n);
    out += ',';
}

void append_scalar(std::string& out, const ProtobufCMessage& message,
                   const ProtobufCFieldDescriptor& field) {
    append_number(out, field.id);
    switch (field.type) {
        case PROTOBUF_C_TYPE_STRING: {
            const char* text = member_at<const char*>(message, field.offset);
            const std::string_view view =
                text == nullptr ? std::string_view() : std::string_view(text);
            append_number(out, view.size());
            out += view;
            break;
        }
        case PROTOBUF_C_TYPE_INT64:
        case PROTOBUF_C_TYPE_UINT64:
            append_number(out, member_at<std::uint64_t>(message, field.offset));
            break;
        default:
            append_number(out, member_at<std::uint32_t>(message, field.offset));
    }
}

// Scalars, and how many messages each field holds; the messages themselves follow, so the text can be read one way only.
void append_message(std::string& out, const ProtobufCMessage& message) {
    out += message.descriptor->short_name;
    out += '{';
    for (unsigned i = 0; i < message.descriptor->n_fields; ++i) {
        const ProtobufCFieldDescriptor& field = message.descriptor->fields[i];
        if (is_location(field) || is_unset(message, field)) continue;
        if (field.label == PROTOBUF_C_LABEL_REPEATED) {
            append_number(out, field.id);
            append_number(out, member_at<std::size_t>(message, field.quantifier_offset));
        } else if (field.type == PROTOBUF_C_TYPE_MESSAGE) {
            append_number(out, field.id);
            append_number(out, member_at<const void*>(message, field.offset) == nullptr ? 0 : 1);
        } else {
            append_scalar(out, message, field);
        }
    }
    out += '}';
}

void note_location(TreeFacts& facts, const ProtobufCMessage& message) {
    for (unsigned i = 0; i < message.descriptor->n_fields; ++i) {
        const ProtobufCFieldDescriptor& field = message.descriptor->fields[i];
        if (std::string_view(field.name) != "location") continue;
        const auto location = member_at<std::int32_t>(message, field.offset);
        if (location <= 0)
            continue;  // 0 is the wrapper's first word, or a node that has no position
        facts.first = facts.first < 0 ? location : std::min(facts.first, location);
        facts.last = std::max(facts.last, location);
    }
}

}  // namespace

std::string tree_text(const ProtobufCMessage& root) {
    std::string out;
    std::vector<const ProtobufCMessage*> stack{&root};
    while (!stack.empty()) {
        const ProtobufCMessage* message = stack.back();
        stack.pop_back();
        append_message(out, *message);
        const std::size_t base = stack.size();
        collect_children(*message, stack);
        std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(base), stack.end());
    }
    return out;
}

TreeFacts tree_facts(const ProtobufCMessage& root,
                     const std::function<bool(const PgQuery__Node&)>& is_hole) {
    struct Item {
        const ProtobufCMessage* message;
        bool in_subquery;
    };
    TreeFacts facts;
    std::vector<Item> stack{{&root, false}};
    std::vector<const ProtobufCMessage*> children;
    while (!stack.empty()) {
        Item item = stack.back();
        stack.pop_back();
        if (is_hole && item.message != &root &&
            item.message->descriptor == &pg_query__node__descriptor) {
            const auto* node = reinterpret_cast<const PgQuery__Node*>(item.message);
            if (is_hole(*node)) {
                facts.holes.push_back(node);
                continue;
            }
        }
        note_location(facts, *item.message);
        if (item.message->descriptor == &pg_query__column_ref__descriptor) {
            const auto* column = reinterpret_cast<const PgQuery__ColumnRef*>(item.message);
            const PgQuery__Node& last = *column->fields[column->n_fields - 1];
            facts.has_star = facts.has_star ||
                             (!item.in_subquery && last.node_case == PG_QUERY__NODE__NODE_A_STAR);
            facts.references.push_back({column, item.in_subquery});
            continue;
        }
        if (item.message->descriptor == &pg_query__select_stmt__descriptor) {
            item.in_subquery = true;
            facts.has_subquery = true;
        }
        children.clear();
        collect_children(*item.message, children);
        for (auto child = children.rbegin(); child != children.rend(); ++child) {
            stack.push_back({*child, item.in_subquery});
        }
    }
    return facts;
}

std::vector<std::string_view> table_names(const ProtobufCMessage& root) {
    std::vector<std::string_view> names;
    std::vector<const ProtobufCMessage*> stack{&root};
    while (!stack.empty()) {
        const ProtobufCMessage* message = stack.back();
        stack.pop_back();
        if (message->descriptor == &pg_query__range_var__descriptor) {
            const auto* table = reinterpret_cast<const PgQuery__RangeVar*>(message);
            if (table->schemaname[0] == '\0') names.emplace_back(table->relname);
        }
        collect_children(*message, stack);
    }
    return names;
}

std::string_view string_of(const PgQuery__Node& node) {
    return node.node_case == PG_QUERY__NODE__NODE_STRING ? node.string->sval : std::string_view();
}

std::string_view value_function_name(const PgQuery__SQLValueFunction& value) {
    switch (value.op) {
        case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_DATE:
            return "current_date";
        case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIME:
        case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIME_N:
            return "current_time";
        case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIMESTAMP:
        case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIMESTAMP_N:
            return "current_timestamp";
        case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIME:
        case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIME_N:
            return "localtime";
        case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP:
        case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP_N:
            return "localtimestamp";
        case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_ROLE:
            return "current_role";
        case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_USER:
            return "current_user";
        case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_USER:
            return "user";
        case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_SESSION_USER:
            return "session_user";
        case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_CATALOG:
            return "current_catalog";
        case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_SCHEMA:
            return "current_schema";
        default:
            return "?column?";
    }
}

}  // namespace satura::lang
