// SQL types. A Type is a 32-bit value: it is copied freely, compared bitwise, and is the payload of cast nodes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace satura::lang {

enum class TypeKind : std::uint8_t {
    unknown,  // the type of a bare NULL or of an unadorned string literal before binding decides
    boolean,
    tinyint,
    smallint,
    integer,
    bigint,
    hugeint,
    utinyint,
    usmallint,
    uinteger,
    ubigint,
    uhugeint,
    decimal,  // decimal(p, s), exact
    numeric,  // PostgreSQL's numeric without precision: exact, unbounded
    real,
    double_,
    char_,    // char(n), blank padded
    varchar,  // varchar(n); length 0 means without limit
    text,
    date,
    time,
    timestamp,    // timestamp(p), p decimal digits of the second, 0 to 9
    timestamptz,  // timestamptz(p)
    interval,
    opaque,  // any other type; the payload is an index into a TypeNames table
};

// A type with its parameters, packed: 5 bits of kind, 27 bits of parameters.
//   decimal: precision (10 bits, 1 to 1000), scale (11 bits, biased by 1024)
//   char, varchar: length (24 bits; 0 = no limit); timestamp, timestamptz, time: digits (0 to 9)
//   opaque: name index (24 bits)
class Type {
  public:
    constexpr Type() = default;
    constexpr explicit Type(TypeKind kind) : bits_(static_cast<std::uint32_t>(kind)) {}

    static constexpr Type from_bits(std::uint32_t bits) {
        Type t;
        t.bits_ = bits;
        return t;
    }
    static constexpr Type decimal(int precision, int scale) {
        return packed(TypeKind::decimal, static_cast<std::uint32_t>(precision) |
                                             static_cast<std::uint32_t>(scale + 1024) << 10);
    }
    static constexpr Type with_length(TypeKind kind, std::uint32_t length) {
        return packed(kind, length);
    }
    static constexpr Type with_digits(TypeKind kind, int digits) {
        return packed(kind, static_cast<std::uint32_t>(digits));
    }
    static constexpr Type opaque(std::uint32_t name) { return packed(TypeKind::opaque, name); }

    constexpr TypeKind kind() const { return static_cast<TypeKind>(bits_ & 31U); }
    constexpr std::uint32_t bits() const { return bits_; }
    constexpr int precision() const { return static_cast<int>(parameters() & 1023U); }
    constexpr int scale() const { return static_cast<int>(parameters() >> 10) - 1024; }
    constexpr std::uint32_t length() const { return parameters(); }
    constexpr int digits() const { return static_cast<int>(parameters()); }
    constexpr std::uint32_t opaque_name() const { return parameters(); }

    friend constexpr bool operator==(Type, Type) = default;

  private:
    static constexpr Type packed(TypeKind kind, std::uint32_t parameters) {
        return from_bits(static_cast<std::uint32_t>(kind) | parameters << 5);
    }
    constexpr std::uint32_t parameters() const { return bits_ >> 5; }

    std::uint32_t bits_ = 0;
};

bool is_integer(Type type);         // the ten integer widths, signed and unsigned
bool is_signed_integer(Type type);  // tinyint … hugeint
int integer_bits(Type type);        // 8 … 128; requires is_integer
bool is_exact_numeric(Type type);   // integers, decimal, numeric
bool is_float(Type type);           // real, double
bool is_numeric(Type type);         // exact numeric or float
bool is_string(Type type);          // char, varchar, text
bool is_temporal(Type type);        // date, time, timestamp, timestamptz

}  // namespace satura::lang

template <>
struct std::hash<satura::lang::Type> {
    std::size_t operator()(satura::lang::Type type) const noexcept {
        return type.bits() * 0x9E3779B97F4A7C15ULL;
    }
};
