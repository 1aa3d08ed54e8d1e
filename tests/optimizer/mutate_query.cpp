#include "tests/optimizer/mutate_query.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

namespace satura::test {

namespace {

struct Place {
    std::size_t begin = 0;
    std::size_t size = 0;
    std::string text;  // what to put there
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<std::string> split(const std::string& sql) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < sql.size();) {
        std::size_t end = i + 1;
        if (is_word(sql[i])) {
            while (end < sql.size() && is_word(sql[end])) ++end;
        } else if (sql[i] == '\'') {
            end = std::min(sql.find('\'', end), sql.size() - 1) + 1;
        } else if (std::string_view("<>=").find(sql[i]) != std::string_view::npos) {
            while (end < sql.size() &&
                   std::string_view("<>=").find(sql[end]) != std::string_view::npos)
                ++end;
        }
        words.push_back(sql.substr(i, end - i));
        i = end;
    }
    return words;
}

// Words, of which each may become its neighbour.
constexpr std::array<std::array<std::string_view, 4>, 16> families{{
    {"left", "right", "full", "inner"},
    {"and", "or"},
    {"=", "<>", "<=>"},
    {"<", "<=", "=", ">"},
    {">", ">=", "=", "<"},
    {"t1", "t2", "t3", "t4"},
    {"id", "a", "b"},
    {"a", "b", "n"},
    {"b", "id", "a"},
    {"union", "except", "intersect"},
    {"distinct", ""},
    {"all", ""},
    {"not", ""},
    {"select", "select distinct"},
    {"sum", "max", "min", "count"},
    {"exists", "not exists"},
}};

std::string join(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) out += word;
    return out;
}

}  // namespace

std::string mutate_query(const std::string& sql, std::uint64_t seed) {
    std::mt19937_64 engine(seed);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(engine() % n); };
    std::vector<std::string> words = split(sql);
    const std::size_t changes = 1 + below(2);
    for (std::size_t change = 0, attempt = 0; change < changes && attempt < 200; ++attempt) {
        const std::size_t at = below(words.size());
        std::string& word = words[at];
        if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) {
            word = std::to_string(std::stol(word.substr(0, 6)) + (below(2) == 0 ? 1 : -1));
            ++change;
            continue;
        }
        // An alias or a column takes the place of another, or both change places.
        if (word.size() > 1 && word[0] == 'r' &&
            std::isdigit(static_cast<unsigned char>(word[1])) != 0) {
            const std::size_t other = below(words.size());
            if (words[other].size() > 1 && words[other][0] == 'r' && words[other] != word &&
                std::isdigit(static_cast<unsigned char>(words[other][1])) != 0) {
                const std::string mine = word, its = words[other];
                if (below(2) == 0) {
                    word = its;
                } else {
                    for (std::string& w : words) w = w == mine ? its : w == its ? mine : w;
                }
                ++change;
            }
            continue;
        }
        const std::size_t first = below(families.size());
        for (std::size_t i = 0; i < families.size(); ++i) {
            const auto& family = families[(first + i) % families.size()];
            if (family[0] != word) continue;
            const std::string_view next = family[1 + below(3)];
            if (next.empty() && !family[1].empty()) break;
            word = next;
            ++change;
            break;
        }
    }
    return join(words);
}

}  // namespace satura::test
