// Texts of dates, times, timestamps and intervals, both ways.
#include <charconv>

#include "lang/calendar.hpp"

namespace satura::lang {

namespace {

constexpr int finest = 9;  // decimal digits of a second

std::string padded(std::int64_t n, std::size_t width) {
    std::string text = std::to_string(n);
    if (text.size() < width) text.insert(0, width - text.size(), '0');
    return text;
}

std::string infinity_text(Int128 n) { return n < 0 ? "-infinity" : "infinity"; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads a text from the left; every step says whether it found what it looked for.
class Reader {
  public:
    explicit Reader(std::string_view text) : rest_(text) {}

    bool done() const { return rest_.empty(); }
    bool accept(std::string_view word) {
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }
    void skip_blanks() {
        while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    }
    // An unsigned number of at least `least` and at most `most` digits.
    std::optional<std::int64_t> number(std::size_t least, std::size_t most) {
        std::size_t length = 0;
        while (length < rest_.size() && is_digit(rest_[length])) ++length;
        if (length < least || length > most) return std::nullopt;
        std::int64_t n = 0;
        std::from_chars(rest_.data(), rest_.data() + length, n);
        rest_.remove_prefix(length);
        return n;
    }
    // The digits after a point as ticks of 10^-9; more of them are refused.
    std::optional<std::int64_t> fraction() {
        const std::size_t before = rest_.size();
        std::optional<std::int64_t> n = number(1, finest);
        if (!n) return std::nullopt;
        for (std::size_t i = before - rest_.size(); i < finest; ++i) *n *= 10;
        return n;
    }
    std::string_view word() {
        std::size_t length = 0;
        while (length < rest_.size() &&
               ((rest_[length] | 0x20) >= 'a' && (rest_[length] | 0x20) <= 'z'))
            ++length;
        const std::string_view found = rest_.substr(0, length);
        rest_.remove_prefix(length);
        return found;
    }

  private:
    std::string_view rest_;
};

std::optional<CivilDate> read_date(Reader& reader) {
    const auto year = reader.number(4, 7);
    if (!year || *year == 0 || !reader.accept("-")) return std::nullopt;
    const auto month = reader.number(1, 2);
    if (!month || *month < 1 || *month > 12 || !reader.accept("-")) return std::nullopt;
    const auto day = reader.number(1, 2);
    if (!day || *day < 1 || *day > 31) return std::nullopt;
    return CivilDate{*year, static_cast<int>(*month), static_cast<int>(*day)};
}

// The era at the end, and the day where it exists in that year.
std::optional<std::int64_t> finish_date(Reader& reader, CivilDate date) {
    if (reader.accept(" BC") || reader.accept(" (BC)")) date.year = 1 - date.year;
    if (!reader.done() || date.day > days_in_month(date.year, date.month)) return std::nullopt;
    return days_from_civil(date);
}

// "10:00", "10:00:00", "10:00:00.5" in ticks of 10^-9 seconds; 24:00:00 is the end of the day.
std::optional<Int128> read_time(Reader& reader) {
    const auto hour = reader.number(1, 2);
    if (!hour || *hour > 24 || !reader.accept(":")) return std::nullopt;
    const auto minute = reader.number(2, 2);
    if (!minute || *minute > 59) return std::nullopt;
    std::int64_t second = 0;
    std::int64_t fraction = 0;
    if (reader.accept(":")) {
        const auto seconds = reader.number(2, 2);
        if (!seconds || *seconds > 59) return std::nullopt;
        second = *seconds;
        if (reader.accept(".")) {
            const auto part = reader.fraction();
            if (!part) return std::nullopt;
            fraction = *part;
        }
    }
    const std::int64_t whole = (*hour * 60 + *minute) * 60 + second;
    if (*hour == 24 && (whole > 86400 || fraction != 0)) return std::nullopt;
    return Int128{whole} * ticks_per_second(finest) + fraction;
}

// "+02", "-05:30", "+0530", "Z" as seconds east of Greenwich.
std::optional<std::int64_t> read_offset(Reader& reader) {
    if (reader.accept("Z") || reader.accept("z")) return 0;
    const bool east = reader.accept("+");
    if (!east && !reader.accept("-")) return std::nullopt;
    const auto hours = reader.number(2, 2);
    if (!hours || *hours > 15) return std::nullopt;
    std::int64_t minutes = 0;
    if (reader.accept(":")) {
        const auto found = reader.number(2, 2);
        if (!found || *found > 59) return std::nullopt;
        minutes = *found;
    }
    const std::int64_t seconds = (*hours * 60 + minutes) * 60;
    return east ? seconds : -seconds;
}

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

// Adds `amount` of the unit to the interval; false for an unknown unit or an overflow.
bool add_unit(Interval& interval, std::int64_t amount, std::string_view word) {
    struct Unit {
        std::string_view name;
        int part;  // 0 months, 1 days, 2 microseconds
        std::int64_t factor;
    };
    static constexpr Unit units[] = {{"year", 0, 12},
                                     {"month", 0, 1},
                                     {"mon", 0, 1},
                                     {"week", 1, 7},
                                     {"day", 1, 1},
                                     {"hour", 2, 3600000000},
                                     {"minute", 2, 60000000},
                                     {"min", 2, 60000000},
                                     {"second", 2, 1000000},
                                     {"sec", 2, 1000000},
                                     {"millisecond", 2, 1000},
                                     {"microsecond", 2, 1}};
    std::string unit(word);
    for (char& c : unit) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    if (unit.ends_with('s')) unit.pop_back();
    for (const Unit& u : units) {
        if (u.name != unit) continue;
        std::int64_t scaled = 0;
        if (__builtin_mul_overflow(amount, u.factor, &scaled)) return false;
        if (u.part == 0) return !__builtin_add_overflow(interval.months, scaled, &interval.months);
        if (u.part == 1) return !__builtin_add_overflow(interval.days, scaled, &interval.days);
        return !__builtin_add_overflow(interval.micros, scaled, &interval.micros);
    }
    return false;
}

void append_part(std::string& out, std::int64_t amount, std::string_view unit) {
    if (amount == 0) return;
    if (!out.empty()) out += ' ';
    out += std::to_string(amount);
    out += ' ';
    out += unit;
    if (amount != 1) out += 's';
}

}  // namespace

std::string date_text(Int128 days) {
    if (is_infinite_time(days)) return infinity_text(days);
    const CivilDate date = civil_from_days(static_cast<std::int64_t>(days));
    const std::int64_t year = date.year > 0 ? date.year : 1 - date.year;
    return padded(year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2) +
           (date.year > 0 ? "" : " BC");
}

std::string time_text(Int128 ticks, int digits) {
    const std::int64_t per_second = ticks_per_second(digits);
    const auto seconds = static_cast<std::int64_t>(ticks / per_second);
    const auto fraction = static_cast<std::int64_t>(ticks % per_second);
    std::string text = padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":" +
                       padded(seconds % 60, 2);
    if (fraction == 0) return text;
    text += "." + padded(fraction, static_cast<std::size_t>(digits));
    while (text.ends_with('0')) text.pop_back();
    return text;
}

std::string timestamp_text(Int128 ticks, int digits) {
    if (is_infinite_time(ticks)) return infinity_text(ticks);
    const Int128 per_day = ticks_per_day(digits);
    Int128 days = ticks / per_day;
    Int128 in_day = ticks % per_day;
    if (in_day < 0) {
        in_day += per_day;
        --days;
    }
    std::string text = date_text(days);
    const bool before_christ = text.ends_with(" BC");
    if (before_christ) text.resize(text.size() - 3);
    return text + " " + time_text(in_day, digits) + (before_christ ? " BC" : "");
}

std::string interval_text(const Interval& interval) {
    std::string out;
    append_part(out, interval.months, "month");
    append_part(out, interval.days, "day");
    if (interval.micros % 1000000 == 0) {
        append_part(out, interval.micros / 1000000, "second");
    } else {
        append_part(out, interval.micros, "microsecond");
    }
    return out.empty() ? "0 seconds" : out;
}

std::optional<Int128> parse_date(std::string_view text) {
    text = trimmed(text);
    if (text == "infinity") return temporal_infinity;
    if (text == "-infinity") return -temporal_infinity;
    Reader reader(text);
    const auto date = read_date(reader);
    if (!date) return std::nullopt;
    const auto days = finish_date(reader, *date);
    if (!days) return std::nullopt;
    return Int128{*days};
}

std::optional<Int128> parse_time(std::string_view text) {
    Reader reader(trimmed(text));
    const auto time = read_time(reader);
    return time && reader.done() ? time : std::nullopt;
}

std::optional<Int128> parse_timestamp(std::string_view text, bool zoned, bool utc_session) {
    text = trimmed(text);
    if (text == "infinity") return temporal_infinity;
    if (text == "-infinity") return -temporal_infinity;
    Reader reader(text);
    const auto date = read_date(reader);
    if (!date) return std::nullopt;
    Int128 time = 0;
    std::int64_t offset = 0;
    bool has_offset = false;
    // " BC" also begins with a blank: a time is tried on a copy.
    Reader ahead = reader;
    if (ahead.accept(" ") || ahead.accept("T")) {
        ahead.skip_blanks();
        if (const auto found = read_time(ahead)) {
            time = *found;
            reader = ahead;
            if (zoned) {
                if (const auto seconds = read_offset(reader)) {
                    offset = *seconds;
                    has_offset = true;
                }
            }
        }
    }
    if (zoned && !has_offset && !utc_session) return std::nullopt;
    const auto days = finish_date(reader, *date);
    if (!days) return std::nullopt;
    return Int128{*days} * ticks_per_day(finest) + time - Int128{offset} * ticks_per_second(finest);
}

std::optional<Interval> parse_interval(std::string_view text) {
    Reader reader(trimmed(text));
    Interval interval;
    bool any = false;
    while (!reader.done()) {
        const bool negative = reader.accept("-");
        const auto amount = reader.number(1, 18);
        if (!amount) return std::nullopt;
        reader.skip_blanks();
        if (!add_unit(interval, negative ? -*amount : *amount, reader.word())) return std::nullopt;
        reader.skip_blanks();
        any = true;
    }
    if (!any) return std::nullopt;
    return interval;
}

}  // namespace satura::lang
