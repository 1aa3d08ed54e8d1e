#include "lang/value.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "lang/number.hpp"

namespace satura::lang {

namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
    return hash ^ (hash >> 29);
}

// Every NaN has one representation.
std::int64_t bits_of(double d) {
    return std::bit_cast<std::int64_t>(std::isnan(d) ? std::numeric_limits<double>::quiet_NaN()
                                                     : d);
}

std::uint64_t hash_wide(const Wide& wide, std::uint64_t hash) {
    const auto& backend = wide.backend();
    for (unsigned i = 0; i < backend.size(); ++i) hash = mix(hash, backend.limbs()[i]);
    return mix(hash, backend.sign() ? 1 : 0);
}

std::uint64_t hash_text(std::string_view text, std::uint64_t hash) {
    for (const char c : text) hash = mix(hash, static_cast<unsigned char>(c));
    return mix(hash, text.size());
}

}  // namespace

Value Value::boolean(bool b) {
    Value v;
    v.kind_ = Kind::boolean;
    v.small_ = b ? 1 : 0;
    return v;
}

Value Value::integer(std::int64_t n) {
    Value v;
    v.kind_ = Kind::integer;
    v.small_ = n;
    return v;
}

Value Value::real(float f) {
    Value v;
    v.kind_ = Kind::real;
    v.small_ = bits_of(static_cast<double>(f));
    return v;
}

Value Value::double_(double d) {
    Value v;
    v.kind_ = Kind::double_;
    v.small_ = bits_of(d);
    return v;
}

Value Value::text(std::string_view s) {
    Value v;
    v.kind_ = Kind::text;
    v.heap_ = std::make_shared<const Heap>(Heap{std::string(s)});
    return v;
}

Value Value::interval(std::int32_t months, std::int32_t days, std::int64_t micros) {
    Value v;
    v.kind_ = Kind::interval;
    v.heap_ = std::make_shared<const Heap>(Heap{Interval{months, days, micros}});
    return v;
}

std::string_view Value::as_text() const {
    return heap_ ? std::string_view(std::get<std::string>(heap_->data)) : std::string_view();
}

Interval Value::as_interval() const { return heap_ ? std::get<Interval>(heap_->data) : Interval{}; }

double Value::double_bits() const { return std::bit_cast<double>(small_); }

bool identical(const Value& a, const Value& b) {
    if (a.kind_ != b.kind_ || a.scale_ != b.scale_) return false;
    if (!a.heap_ || !b.heap_) return !a.heap_ && !b.heap_ && a.small_ == b.small_;
    if (a.heap_ == b.heap_) return true;
    const auto& x = a.heap_->data;
    const auto& y = b.heap_->data;
    if (x.index() != y.index()) return false;
    if (const auto* text = std::get_if<std::string>(&x)) return *text == std::get<std::string>(y);
    if (const auto* wide = std::get_if<Wide>(&x)) return *wide == std::get<Wide>(y);
    if (const auto* interval = std::get_if<Interval>(&x)) return *interval == std::get<Interval>(y);
    return true;  // both are the NaN of decimals
}

std::uint64_t hash_value(const Value& v) {
    std::uint64_t hash =
        mix(static_cast<std::uint64_t>(v.kind_) + 1, static_cast<std::uint16_t>(v.scale_));
    if (!v.heap_) return mix(hash, static_cast<std::uint64_t>(v.small_));
    const auto& data = v.heap_->data;
    if (const auto* text = std::get_if<std::string>(&data)) return hash_text(*text, hash);
    if (const auto* wide = std::get_if<Wide>(&data)) return hash_wide(*wide, hash);
    if (const auto* interval = std::get_if<Interval>(&data)) {
        hash = mix(hash, static_cast<std::uint32_t>(interval->months));
        hash = mix(hash, static_cast<std::uint32_t>(interval->days));
        return mix(hash, static_cast<std::uint64_t>(interval->micros));
    }
    return mix(hash, 0x4E614EU);
}

}  // namespace satura::lang
