#include "app/line_input.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>

#include "app/interrupt.hpp"

namespace satura::app {

bool LineInput::has_line() {
    const std::size_t end = text_.find('\n', scanned_);
    scanned_ = end == std::string::npos ? text_.size() : end;
    return end != std::string::npos;
}

bool LineInput::next(std::string& line) {
    while (!has_line() && read_more()) {
    }
    if (is_interrupted() || begin_ == text_.size()) return false;
    line.assign(text_, begin_, scanned_ - begin_);
    begin_ = scanned_ = scanned_ + (scanned_ < text_.size() ? 1 : 0);
    return true;
}

bool LineInput::read_more() {
    text_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
    std::array<char, 65536> part;
    ssize_t n = -1;
    do {
        if (!wait_for_input()) return false;
        n = read(STDIN_FILENO, part.data(), part.size());
    } while (n < 0 && errno == EINTR);
    if (n <= 0) return false;
    text_.append(part.data(), static_cast<std::size_t>(n));
    return true;
}

}  // namespace satura::app
