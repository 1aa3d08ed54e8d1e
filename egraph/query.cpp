#include "egraph/query.hpp"

#include <algorithm>

namespace satura::egraph {

namespace {

constexpr std::size_t atom_count_max = 32;

class Compiler {
  public:
    Compiler(Rule& rule, const Signature& signature) : rule_(rule), signature_(signature) {}

    Query compile(std::string& error) {
        class_slots_.assign(rule_.left.nodes.size(), none);
        std::vector<std::uint32_t> roots{rule_.left.root};
        roots.insert(roots.end(), rule_.also.begin(), rule_.also.end());
        // Children have smaller indexes, so their class slots are known when the parent is
        // compiled.
        std::vector<bool> wanted = reachable(roots);
        for (std::uint32_t i = 0; i < rule_.left.nodes.size(); ++i) {
            if (wanted[i]) add(i);
        }
        query_.root_class = class_slots_[rule_.left.root];
        for (std::uint32_t root : roots) check_root(root);
        query_.joint = is_joint();
        collect_reads();
        query_.rests.resize(rule_.slots.size());
        if (error_.empty() && rule_.slots.size() > slot_count_max)
            error_ = "a rule may have at most 64 slots";
        if (error_.empty() && query_.atoms.size() > atom_count_max)
            error_ = "a pattern may have at most 32 atoms";
        error = error_;
        return std::move(query_);
    }

  private:
    std::vector<bool> reachable(std::vector<std::uint32_t> todo) const {
        std::vector<bool> seen(rule_.left.nodes.size(), false);
        while (!todo.empty()) {
            std::uint32_t i = todo.back();
            todo.pop_back();
            if (seen[i]) continue;
            seen[i] = true;
            for (std::uint32_t c : rule_.left.nodes[i].children) todo.push_back(c);
        }
        return seen;
    }

    void add(std::uint32_t index) {
        const PatternNode node = rule_.left.nodes[index];
        if (node.kind == PatternNode::Kind::slot) {
            class_slots_[index] = node.slot;
            return;
        }
        if (node.kind != PatternNode::Kind::node) return;
        const Operator& op = signature_[node.op];
        Atom atom;
        atom.op = node.op;
        atom.shape = op.shape;
        atom.payload = node.payload;
        atom.cls = class_slots_[index] = rule_.add_slot(SlotKind::cls, "");
        atom.row = rule_.add_slot(SlotKind::node, "");
        if (index == rule_.left.root) query_.root_row = atom.row;
        if (op.shape == Shape::fixed) {
            for (std::uint32_t c : node.children) atom.slots.push_back(class_slots_[c]);
            if (atom.slots.size() != op.arity ||
                std::count(atom.slots.begin(), atom.slots.end(), none) != 0) {
                fail(op.name + " takes " + std::to_string(op.arity) + " operands");
            }
            query_.atoms.push_back(std::move(atom));
        } else if (op.shape == Shape::sequence) {
            add_sequence(node, std::move(atom));
        } else {
            add_elements(node, std::move(atom));
        }
    }

    void add_elements(const PatternNode& node, Atom atom) {
        std::uint32_t rest = none;
        for (std::uint32_t c : node.children) {
            const PatternNode& child = rule_.left.nodes[c];
            if (child.kind == PatternNode::Kind::rest) {
                if (rest != none) fail("a set or bag pattern has at most one rest");
                rest = child.slot;
            } else {
                atom.members.push_back(class_slots_[c]);
            }
        }
        if (rest == none) atom.exact_count = static_cast<std::uint32_t>(atom.members.size());
        if (rest != none) set_rest(rest, {RestSource::Kind::others, atom.row, atom.members, 0, 0});
        std::uint32_t row = atom.row;
        std::vector<std::uint32_t> members = atom.members;
        OpId op = atom.op;
        Shape shape = atom.shape;
        query_.atoms.push_back(std::move(atom));
        for (std::uint32_t member : members) {
            Atom pick;
            pick.kind = Atom::Kind::member;
            pick.op = op;
            pick.shape = shape;
            pick.row = row;
            pick.slots = {member};
            query_.atoms.push_back(std::move(pick));
        }
    }

    void add_sequence(const PatternNode& node, Atom atom) {
        Atom run;
        run.kind = Atom::Kind::run;
        run.op = atom.op;
        run.shape = atom.shape;
        run.row = atom.row;
        run.offset = rule_.add_slot(SlotKind::offset, "");
        std::uint32_t before = none, after = none;
        for (std::uint32_t c : node.children) {
            const PatternNode& child = rule_.left.nodes[c];
            if (child.kind != PatternNode::Kind::rest) {
                if (run.open_back)
                    fail(
                        "a sequence pattern has one run of operands, with a rest before and after "
                        "it");
                run.slots.push_back(class_slots_[c]);
            } else if (run.slots.empty() && !run.open_front) {
                run.open_front = true;
                before = child.slot;
            } else {
                run.open_back = true;
                after = child.slot;
            }
        }
        auto length = static_cast<std::uint32_t>(run.slots.size());
        if (before != none)
            set_rest(before, {RestSource::Kind::before, atom.row, {}, run.offset, length});
        if (after != none)
            set_rest(after, {RestSource::Kind::after, atom.row, {}, run.offset, length});
        if (!run.open_front && !run.open_back) atom.exact_count = length;
        query_.atoms.push_back(std::move(atom));
        query_.atoms.push_back(std::move(run));
    }

    // A bare variable as a root matches every class, which makes sense only where it is all of the
    // left side.
    void check_root(std::uint32_t root) {
        std::uint32_t slot = class_slots_[root];
        if (rule_.left.nodes[root].kind == PatternNode::Kind::rest) {
            fail("a rest stands in a set, bag or sequence only");
        } else if (rule_.left.nodes[root].kind == PatternNode::Kind::slot &&
                   !is_bound_by_atom(slot)) {
            if (!rule_.also.empty()) fail("a variable that is a root must occur in another root");
        }
    }

    bool is_bound_by_atom(std::uint32_t slot) const {
        return std::any_of(query_.atoms.begin(), query_.atoms.end(), [&](const Atom& atom) {
            return atom.cls == slot || std::count(atom.slots.begin(), atom.slots.end(), slot) != 0;
        });
    }

    void set_rest(std::uint32_t slot, RestSource source) {
        if (query_.rests.size() <= slot) query_.rests.resize(slot + 1);
        if (query_.rests[slot].kind != RestSource::Kind::none)
            fail("a rest variable stands once on the left side");
        query_.rests[slot] = std::move(source);
    }

    bool is_joint() const {
        if (rule_.left.root == none || rule_.right.root == none) return false;
        const PatternNode& left = rule_.left.nodes[rule_.left.root];
        const PatternNode& right = rule_.right.nodes[rule_.right.root];
        if (left.kind != PatternNode::Kind::node || right.kind != PatternNode::Kind::node)
            return false;
        if (left.op != right.op || !has_same_payload(left, right)) return false;
        if (!rule_.computations.empty()) return false;
        Shape shape = signature_[left.op].shape;
        if (shape != Shape::set && shape != Shape::bag) return false;
        std::uint32_t rest = rest_of(rule_.left, left);
        return rest != none && rest == rest_of(rule_.right, right) && stands_once(rest);
    }

    static bool has_same_payload(const PatternNode& a, const PatternNode& b) {
        return a.payload.kind != PayloadRef::Kind::any && a.payload.kind == b.payload.kind &&
               a.payload.value == b.payload.value;
    }

    // The one rest among the node's operands, or none.
    static std::uint32_t rest_of(const Pattern& pattern, const PatternNode& node) {
        std::uint32_t found = none;
        for (std::uint32_t c : node.children) {
            if (pattern.nodes[c].kind != PatternNode::Kind::rest) continue;
            if (found != none) return none;
            found = pattern.nodes[c].slot;
        }
        return found;
    }

    // Elsewhere on the right side a rest would be another one after each of the matches that are
    // applied together.
    bool stands_once(std::uint32_t rest) const {
        std::size_t count = 0;
        for (const PatternNode& node : rule_.right.nodes) {
            if (node.kind == PatternNode::Kind::rest) count += node.slot == rest;
            if (node.kind == PatternNode::Kind::each) count += node.over == rest;
        }
        return count == 1;
    }

    // Only what the left side binds can start a search; values of computed parts change with those.
    bool is_on_left(std::uint32_t slot) const {
        if (slot < query_.rests.size() && query_.rests[slot].kind != RestSource::Kind::none)
            return true;
        if (slot == class_slots_[rule_.left.root]) return true;
        return is_bound_by_atom(slot);
    }

    void collect_reads() {
        auto add = [this](const std::vector<Read>& reads) {
            for (const Read& read : reads) {
                if (!is_on_left(read.slot)) continue;
                bool known =
                    std::any_of(query_.reads.begin(), query_.reads.end(), [&](const Read& r) {
                        return r.analysis == read.analysis && r.slot == read.slot;
                    });
                if (!known) query_.reads.push_back(read);
            }
        };
        for (const Condition& condition : rule_.conditions) add(condition.reads);
        for (const Computation& computation : rule_.computations) add(computation.reads);
    }

    void fail(std::string message) {
        if (error_.empty()) error_ = std::move(message);
    }

    Rule& rule_;
    const Signature& signature_;
    Query query_;
    std::vector<std::uint32_t> class_slots_;
    std::string error_;
};

}  // namespace

Query Query::compile(Rule& rule, const Signature& signature, std::string& error) {
    return Compiler(rule, signature).compile(error);
}

}  // namespace satura::egraph
