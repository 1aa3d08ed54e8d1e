#include "lang/diagnostic.hpp"

#include <algorithm>

namespace satura::lang {

namespace {

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

std::size_t count_characters(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

// The line that holds the offset, without its end.
std::string_view line_around(std::string_view text, std::size_t offset) {
    const std::size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    std::string_view line = text.substr(begin, text.find('\n', offset) - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

// Blanks as wide as the text, its tabs kept, so that what follows stands under what follows it.
std::string blanks_like(std::string_view text) {
    std::string blanks;
    for (const char c : text) {
        if (c == '\t') {
            blanks += '\t';
        } else if (starts_character(c)) {
            blanks += ' ';
        }
    }
    return blanks;
}

}  // namespace

Place place_of(std::string_view text, std::uint32_t offset) {
    const std::string_view before = text.substr(0, std::min<std::size_t>(offset, text.size()));
    const std::size_t line_end = before.rfind('\n');
    const std::string_view in_line =
        line_end == std::string_view::npos ? before : before.substr(line_end + 1);
    Place place;
    place.line = static_cast<std::uint32_t>(1 + std::count(before.begin(), before.end(), '\n'));
    place.column = static_cast<std::uint32_t>(1 + count_characters(in_line));
    return place;
}

std::string render(const Diagnostic& diagnostic, std::string_view file, std::string_view text) {
    const std::size_t begin = std::min<std::size_t>(diagnostic.span.begin, text.size());
    const std::size_t end = std::clamp<std::size_t>(diagnostic.span.end, begin, text.size());
    const Place place = place_of(text, static_cast<std::uint32_t>(begin));
    const std::string_view line = line_around(text, begin);
    const auto line_begin = static_cast<std::size_t>(line.data() - text.data());
    const std::size_t in_line = std::min(begin - line_begin, line.size());
    const std::size_t under = std::min(end - line_begin, line.size());

    std::string out(file);
    out += ':' + std::to_string(place.line) + ':' + std::to_string(place.column) +
           ": error: " + diagnostic.message;
    out += "\n  ";
    out += line;
    out += "\n  " + blanks_like(line.substr(0, in_line));
    const std::size_t width =
        under > in_line ? count_characters(line.substr(in_line, under - in_line)) : 1;
    out += '^' + std::string(width > 0 ? width - 1 : 0, '~') + '\n';
    if (!diagnostic.help.empty()) out += "help: " + diagnostic.help + '\n';
    return out;
}

}  // namespace satura::lang
