#include "lang/sql_parse.hpp"

#include <fmt/core.h>
#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <cstring>

#include "lang/parser_thread.hpp"
#include "lang/sql_scan.hpp"

namespace satura::lang {

// Memory for one tree, given back at once: freeing the messages one by one would recurse.
class ParsedSql::Arena {
  public:
    static void* allocate(void* self, std::size_t size) {
        return static_cast<Arena*>(self)->take(size);
    }
    static void release(void*, void*) {}

  private:
    void* take(std::size_t size) {
        size = (size + 15) / 16 * 16;
        if (size > left_) {
            const std::size_t block = std::max(size, next_block_);
            next_block_ = std::min(next_block_ * 2, std::size_t{1} << 20);
            blocks_.push_back(std::make_unique<std::byte[]>(block));
            next_ = blocks_.back().get();
            left_ = block;
        }
        void* result = next_;
        next_ += size;
        left_ -= size;
        return result;
    }

    std::vector<std::unique_ptr<std::byte[]>> blocks_;
    std::byte* next_ = nullptr;
    std::size_t left_ = 0;
    std::size_t next_block_ = 4096;
};

ParsedSql::ParsedSql() = default;
ParsedSql::~ParsedSql() = default;
ParsedSql::ParsedSql(ParsedSql&&) noexcept = default;
ParsedSql& ParsedSql::operator=(ParsedSql&&) noexcept = default;

bool ParsedSql::is_try_cast(std::int32_t location) const {
    return location >= 0 &&
           std::ranges::binary_search(try_casts_, static_cast<std::uint32_t>(location));
}

const std::vector<Token>& ParsedSql::tokens() const {
    if (!scanned_) tokens_ = scan_tokens(text_);
    scanned_ = true;
    return tokens_;
}

std::size_t ParsedSql::token_at(std::uint32_t location) const {
    const auto& all = tokens();
    return static_cast<std::size_t>(std::ranges::lower_bound(all, location, {}, &Token::begin) -
                                    all.begin());
}

std::uint32_t ParsedSql::offset(std::int64_t location) const {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(location, user_begin_, user_end_) -
                                      user_begin_);
}

Span ParsedSql::span_of_token(std::int64_t location) const {
    const std::uint32_t begin = offset(location);
    const std::size_t index = token_at(begin + user_begin_);
    if (index >= tokens().size() || tokens()[index].begin != begin + user_begin_)
        return {begin, begin};
    return {begin, offset(tokens()[index].end)};
}

// One call of parse_sql.
class SqlParser {
  public:
    SqlParser(std::string_view text, std::string_view before, std::string_view after)
        : user_(text) {
        sql_.written_.reserve(before.size() + text.size() + after.size());
        sql_.written_.append(before).append(text).append(after);
        sql_.user_begin_ = static_cast<std::uint32_t>(before.size());
        sql_.user_end_ = static_cast<std::uint32_t>(before.size() + text.size());
    }

    Result<ParsedSql> run(Dialect dialect) {
        if (auto error = prepare(dialect)) return std::move(*error);
        // Short text cannot nest deeply enough to need the large stack, and a change of threads costs as much as parsing
        // a small expression.
        if (sql_.text_.size() <= short_bytes) {
            parse();
        } else {
            if (const auto token = first_too_deep(sql_.tokens(), sql_depth_max)) {
                return too_deep({sql_.offset(token->begin), sql_.offset(token->end)});
            }
            run_on_parser_thread([this] { parse(); });
        }
        if (failed_) return std::move(error_);
        return std::move(sql_);
    }

  private:
    static constexpr std::size_t short_bytes = 512;

    std::optional<Diagnostic> prepare(Dialect dialect) {
        if (user_.size() > text_bytes_max) {
            return Diagnostic{"too-long", {}, "SQL text of more than 1 GB is not read", ""};
        }
        if (const auto bad = first_bad_byte(user_)) {
            return Diagnostic{
                "invalid-text",
                {*bad, *bad + 1},
                user_[*bad] == '\0' ? "the text holds a NUL byte" : "the text is not valid UTF-8",
                ""};
        }
        std::string mapped(user_);
        if (auto error = map_quotes(mapped, dialect)) return error;
        sql_.text_ = sql_.written_;
        sql_.text_.replace(sql_.user_begin_, mapped.size(), mapped);
        hide_try_casts(sql_.text_, sql_.try_casts_);
        return std::nullopt;
    }

    // Recurses to the depth of the tree, within the libraries.
    void parse() {
        PgQueryProtobufParseResult result = pg_query_parse_protobuf(sql_.text_.c_str());
        if (result.error != nullptr) {
            fail(*result.error);
        } else {
            sql_.arena_ = std::make_unique<ParsedSql::Arena>();
            ProtobufCAllocator allocator{&ParsedSql::Arena::allocate, &ParsedSql::Arena::release,
                                         sql_.arena_.get()};
            sql_.tree_ = pg_query__parse_result__unpack(
                &allocator, result.parse_tree.len,
                reinterpret_cast<const std::uint8_t*>(result.parse_tree.data));
            if (sql_.tree_ == nullptr) {
                failed_ = true;
                error_ = {"syntax-error", {}, "the text could not be read", ""};
            }
        }
        pg_query_free_protobuf_parse_result(result);
    }

    void fail(const PgQueryError& error) {
        failed_ = true;
        const std::string_view message = error.message;
        const std::uint32_t byte =
            error.cursorpos > 0
                ? byte_of_character(sql_.text_, static_cast<std::uint32_t>(error.cursorpos))
                : sql_.user_end_;
        Span span = sql_.span_of_token(byte);
        if (span.end == span.begin && span.begin < user_.size())
            span.end = end_of_character(span.begin);
        if (message.starts_with("memory exhausted")) {
            error_ = too_deep(span);
        } else if (byte >= sql_.user_end_) {
            error_ = {"syntax-error", span, "syntax error at end of input", ""};
        } else {
            error_ = {"syntax-error", span, shortened(message), ""};
        }
    }

    std::uint32_t end_of_character(std::uint32_t i) const {
        ++i;
        while (i < user_.size() && (static_cast<unsigned char>(user_[i]) & 0xC0U) == 0x80U) ++i;
        return i;
    }

    // A message may quote the rest of the text.
    static std::string shortened(std::string_view message) {
        constexpr std::size_t shown = 120;
        if (message.size() <= shown) return std::string(message);
        std::size_t cut = shown;
        while (cut > 0 && (static_cast<unsigned char>(message[cut]) & 0xC0U) == 0x80U) --cut;
        return std::string(message.substr(0, cut)) + "…";
    }

    static Diagnostic too_deep(Span span) {
        return {"too-deep", span,
                "the expression is nested too deeply or its chain of operators is too long",
                fmt::format("at most {} operators in one chain, and about 9,900 nested parentheses",
                            sql_depth_max)};
    }

    static constexpr std::size_t text_bytes_max = std::size_t{1} << 30;

    std::string_view user_;
    ParsedSql sql_;
    bool failed_ = false;
    Diagnostic error_;
};

Result<ParsedSql> parse_sql(std::string_view text, Dialect dialect, std::string_view before,
                            std::string_view after) {
    return SqlParser(text, before, after).run(dialect);
}

}  // namespace satura::lang
