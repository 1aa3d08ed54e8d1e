#include "tests/golden.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <doctest/doctest.h>
#include <fmt/core.h>

namespace satura::test {
namespace {

constexpr std::string_view kRule = "----";

// Cuts a text into lines and knows where each begins.
class Lines {
  public:
    explicit Lines(std::string_view text) : text_(text) {}

    bool at_end() const { return begin_ >= text_.size(); }
    std::size_t offset() const { return std::min(begin_, text_.size()); }
    std::size_t number() const { return number_; }

    // The current line without its end.
    std::string_view peek() const { return text_.substr(begin_, end() - begin_); }

    std::string_view next() {
        std::string_view line = peek();
        begin_ = end() + 1;
        ++number_;
        return line;
    }

  private:
    std::size_t end() const { return std::min(text_.find('\n', begin_), text_.size()); }

    std::string_view text_;
    std::size_t begin_ = 0;
    std::size_t number_ = 1;
};

// The end of the argument that begins at `pos`: a blank outside of quotes and parentheses.
std::size_t argument_end(std::string_view text, std::size_t pos) {
    bool quoted = false;
    int depth = 0;
    for (; pos < text.size(); ++pos) {
        const char c = text[pos];
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if (c == '(') ++depth;
        if (c == ')') --depth;
        if (c == ' ' && depth <= 0) break;
    }
    return pos;
}

Argument parse_argument(std::string_view word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return {std::string(word), ""};
    std::string_view value = word.substr(equals + 1);
    if (value.size() >= 2 && ((value.front() == '(' && value.back() == ')') ||
                              (value.front() == '"' && value.back() == '"'))) {
        value = value.substr(1, value.size() - 2);
    }
    return {std::string(word.substr(0, equals)), std::string(value)};
}

void parse_command(std::string_view line, Block& block) {
    const std::size_t space = std::min(line.find(' '), line.size());
    block.command = line.substr(0, space);
    std::size_t pos = space;
    while ((pos = line.find_first_not_of(' ', pos)) != std::string_view::npos) {
        if (block.argument_text.empty()) block.argument_text = line.substr(pos);
        const std::size_t end = argument_end(line, pos);
        block.arguments.push_back(parse_argument(line.substr(pos, end - pos)));
        pos = end;
    }
}

void append_line(std::string& text, std::string_view line) {
    text += line;
    text += '\n';
}

[[noreturn]] void unclosed(const Block& block, std::string_view what) {
    throw std::runtime_error(fmt::format("line {}: '{}': {}", block.line, block.command, what));
}

// Reads from after the first rule to the end of the output; the blank line behind it stays.
void parse_output(Lines& lines, Block& block) {
    block.output_begin = lines.offset();
    if (!lines.at_end() && lines.peek() == kRule) {
        lines.next();
        for (bool rule_before = false;;) {
            if (lines.at_end()) unclosed(block, "no closing pair of ---- lines");
            const std::string_view line = lines.next();
            const bool ends = lines.at_end() || lines.peek().empty();
            if (line == kRule && rule_before && ends) break;
            if (rule_before) append_line(block.expected, kRule);
            rule_before = line == kRule;
            if (!rule_before) append_line(block.expected, line);
        }
    } else {
        while (!lines.at_end() && !lines.peek().empty()) append_line(block.expected, lines.next());
    }
    block.output_end = lines.offset();
}

// The output as it stands in a file, in the doubled form where the plain one would be misread.
std::string format_output(const std::string& output) {
    const bool has_blank_line =
        output.starts_with('\n') || output.find("\n\n") != std::string::npos;
    if (!has_blank_line && !output.starts_with(kRule)) return output;
    return fmt::format("{0}\n{1}{0}\n{0}\n", kRule, output);
}

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> result;
    for (Lines lines(text); !lines.at_end();) result.push_back(lines.next());
    return result;
}

std::filesystem::path resolve(const std::filesystem::path& path) {
    return path.is_absolute() ? path : source_root() / path;
}

bool blessing() {
    const char* value = std::getenv("BLESS");
    return value != nullptr && std::string_view(value) == "1";
}

std::string answer_block(const Block& block,
                         const std::function<std::string(const Block&)>& answer) {
    std::string output;
    try {
        output = answer(block);
    } catch (const std::exception& error) {
        output = fmt::format("error: {}", error.what());
    }
    if (!output.empty() && output.back() != '\n') output += '\n';
    return output;
}

void bless(const std::filesystem::path& path, const std::string& text, const std::string& blessed) {
    if (blessed == text) return;
    std::ofstream out(path, std::ios::binary);
    out << blessed;
    out.close();
    REQUIRE_MESSAGE(out.good(), "cannot write ", path.string());
    MESSAGE("rewrote ", path.string());
}

}  // namespace

bool Block::has(std::string_view name) const { return value(name).has_value(); }

std::optional<std::string> Block::value(std::string_view name) const {
    for (const Argument& argument : arguments) {
        if (argument.name == name) return argument.value;
    }
    return std::nullopt;
}

std::vector<Block> parse_golden(std::string_view text) {
    std::vector<Block> blocks;
    for (Lines lines(text); !lines.at_end();) {
        const std::size_t number = lines.number();
        const std::string_view line = lines.next();
        if (line.empty() || line.front() == '#') continue;
        Block block;
        block.line = number;
        parse_command(line, block);
        while (!lines.at_end() && lines.peek() != kRule) append_line(block.input, lines.next());
        if (lines.at_end()) unclosed(block, "no ---- line");
        lines.next();
        parse_output(lines, block);
        blocks.push_back(std::move(block));
    }
    return blocks;
}

std::string with_outputs(std::string_view text, const std::vector<Block>& blocks,
                         const std::vector<std::string>& outputs) {
    std::string result;
    std::size_t done = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        result += text.substr(done, blocks[i].output_begin - done);
        if (!result.ends_with('\n')) result += '\n';  // a rule as the last line of a file
        result += format_output(outputs[i]);
        done = blocks[i].output_end;
    }
    result += text.substr(done);
    return result;
}

std::string line_diff(std::string_view expected, std::string_view actual) {
    const std::vector<std::string_view> a = split_lines(expected);
    const std::vector<std::string_view> b = split_lines(actual);
    // common[i][j]: the longest common subsequence of a from i and b from j.
    constexpr std::size_t kCellsMax = 4'000'000;
    const bool small = (a.size() + 1) * (b.size() + 1) <= kCellsMax;
    const std::size_t width = b.size() + 1;
    std::vector<std::uint32_t> common(small ? (a.size() + 1) * width : 0);
    if (small) {
        for (std::size_t i = a.size(); i-- > 0;) {
            for (std::size_t j = b.size(); j-- > 0;) {
                common[i * width + j] =
                    a[i] == b[j] ? common[(i + 1) * width + j + 1] + 1
                                 : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
            }
        }
    }
    std::string result;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() || j < b.size()) {
        if (i < a.size() && j < b.size() && a[i] == b[j]) {
            result += fmt::format("  {}\n", a[i++]);
            ++j;
        } else if (i < a.size() && (j == b.size() || !small ||
                                    common[(i + 1) * width + j] >= common[i * width + j + 1])) {
            result += fmt::format("- {}\n", a[i++]);
        } else {
            result += fmt::format("+ {}\n", b[j++]);
        }
    }
    return result;
}

void run_golden(const std::filesystem::path& path,
                const std::function<std::string(const Block&)>& answer) {
    const std::filesystem::path file = resolve(path);
    const std::string text = read_file(file);
    std::vector<Block> blocks;
    try {
        blocks = parse_golden(text);
    } catch (const std::runtime_error& error) {
        FAIL_CHECK(file.string(), ": ", error.what());
        return;
    }
    std::vector<std::string> outputs;
    outputs.reserve(blocks.size());
    for (const Block& block : blocks) {
        outputs.push_back(answer_block(block, answer));
        if (blessing()) continue;
        const std::string& output = outputs.back();
        if (output == block.expected) {
            CHECK(true);  // counted, so that an empty file and a passing one differ in the report
        } else {
            ADD_FAIL_CHECK_AT(file.string().c_str(), static_cast<int>(block.line), block.command,
                              " ", block.argument_text, "\n", block.input,
                              "---- (- expected, + got)\n", line_diff(block.expected, output));
        }
    }
    if (blessing()) bless(file, text, with_outputs(text, blocks, outputs));
}

std::vector<std::filesystem::path> golden_files(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> result;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(resolve(folder), error)) {
        if (entry.path().extension() == ".test") result.push_back(entry.path());
    }
    std::sort(result.begin(), result.end());
    return result;
}

std::filesystem::path source_root() {
    const char* root = std::getenv("SATURA_SOURCE_ROOT");
    return root != nullptr && *root != '\0' ? root : SATURA_SOURCE_ROOT;
}

std::optional<std::filesystem::path> shared_folder() {
    const char* named = std::getenv("SATURA_SHARED");
    std::filesystem::path folder = named != nullptr && *named != '\0'
                                       ? std::filesystem::path(named)
                                       : source_root().parent_path() / "shared";
    if (!std::filesystem::is_directory(folder)) return std::nullopt;
    return folder;
}

std::string read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error(fmt::format("cannot read {}", path.string()));
    std::ostringstream content;
    content << in.rdbuf();
    return std::move(content).str();
}

}  // namespace satura::test
