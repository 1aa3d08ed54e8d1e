#include "rules/comments.hpp"

#include <algorithm>

namespace satura::rules {

namespace {

class Attacher {
  public:
    Attacher(std::string_view text, const Tokens& tokens, SyntaxFile& file)
        : text_(text), tokens_(tokens), file_(file) {}

    void run() {
        std::size_t next = 0;
        std::uint32_t above = 0;  // line of the comment before
        std::vector<std::string> waiting;
        for (const CommentToken& comment : tokens_.comments) {
            while (next < file_.statements.size() && !is_before_next(comment, next)) {
                hand_over(waiting, file_.statements[next], above);
                ++next;
            }
            Statement* owner = next == 0 ? nullptr : &file_.statements[next - 1];
            if (owner != nullptr && belongs_to(comment, *owner)) {
                attach(comment, *owner);
                continue;
            }
            if (waiting.empty()) {
                first_ = comment.line;
            } else if (is_blank_between(above, comment.line)) {
                waiting.emplace_back();
            }
            waiting.emplace_back(text_of(comment));
            above = comment.line;
        }
        for (; next < file_.statements.size(); ++next) {
            hand_over(waiting, file_.statements[next], above);
        }
        file_.end_comments = std::move(waiting);
    }

  private:
    std::string_view text_of(const CommentToken& comment) const {
        return text_.substr(comment.begin, comment.end - comment.begin);
    }
    bool is_before_next(const CommentToken& comment, std::size_t next) const {
        return comment.begin < file_.statements[next].span.begin;
    }
    std::uint32_t line_of(std::uint32_t offset) const {
        const auto& tokens = tokens_.tokens;
        const auto at = std::partition_point(tokens.begin(), tokens.end(),
                                             [&](const Token& t) { return t.begin < offset; });
        return at == tokens.end() ? tokens.back().line : at->line;
    }
    // The line of the last token that begins before the offset.
    std::uint32_t line_before(std::uint32_t offset) const {
        const auto& tokens = tokens_.tokens;
        const auto at = std::partition_point(tokens.begin(), tokens.end(),
                                             [&](const Token& t) { return t.begin < offset; });
        return at == tokens.begin() ? 0 : std::prev(at)->line;
    }
    bool is_blank_between(std::uint32_t low, std::uint32_t high) const {
        const auto& blanks = tokens_.blank_lines;
        const auto at = std::upper_bound(blanks.begin(), blanks.end(), low);
        return at != blanks.end() && *at < high;
    }
    bool belongs_to(const CommentToken& comment, const Statement& statement) const {
        if (comment.begin < statement.span.end) return true;
        return !comment.own_line && comment.line == line_before(statement.span.end);
    }

    void hand_over(std::vector<std::string>& waiting, Statement& statement, std::uint32_t above) {
        const std::uint32_t line = line_of(statement.span.begin);
        if (!waiting.empty() && is_blank_between(above, line)) waiting.emplace_back();
        statement.comments = std::move(waiting);
        waiting.clear();
        const std::uint32_t head = statement.comments.empty() ? line : first_;
        statement.blank_before = is_blank_between(line_before(statement.span.begin), head);
    }

    static void append(std::string& trailing, std::string_view comment) {
        if (!trailing.empty()) trailing += ' ';
        trailing += comment;
    }

    void attach(const CommentToken& comment, Statement& statement) {
        if (statement.kind == Statement::Kind::rule) {
            attach_to_rule(comment, file_.rules[statement.index]);
        } else if (comment.own_line) {
            statement.inner.emplace_back(text_of(comment));
        } else {
            append(statement.trailing, text_of(comment));
        }
    }

    void attach_to_rule(const CommentToken& comment, RuleSyntax& rule) {
        ClauseSyntax* clause = nullptr;  // the one that the comment follows or stands in
        ClauseSyntax* next = nullptr;
        for (ClauseSyntax& c : rule.clauses) {
            if (c.span.begin < comment.begin) clause = &c;
            if (c.span.begin > comment.begin && next == nullptr) next = &c;
        }
        if (!comment.own_line) {
            append(clause != nullptr ? clause->trailing : rule.side_trailing, text_of(comment));
            return;
        }
        const bool is_inside = clause != nullptr && comment.begin < clause->span.end;
        ClauseSyntax* owner = is_inside ? clause : next;
        const bool is_in_sides = clause == nullptr && comment.begin < side_end(rule);
        auto& comments = owner == nullptr || is_in_sides ? rule.side_comments : owner->comments;
        comments.emplace_back(text_of(comment));
    }

    std::uint32_t side_end(const RuleSyntax& rule) const {
        return file_.terms[rule.right].span.end;
    }

    std::string_view text_;
    const Tokens& tokens_;
    SyntaxFile& file_;
    std::uint32_t first_ = 0;  // line of the first comment that waits
};

}  // namespace

void attach_comments(std::string_view text, const Tokens& tokens, SyntaxFile& file) {
    Attacher(text, tokens, file).run();
}

}  // namespace satura::rules
