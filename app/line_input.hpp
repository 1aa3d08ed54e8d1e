// Standard input line by line, as it comes.
#pragma once

#include <string>

namespace satura::app {

class LineInput {
  public:
    // Whether the next line is there without waiting.
    bool has_line();
    // The next line, without its end; false at the end of input, or after an interrupt.
    bool next(std::string& line);

  private:
    bool read_more();

    std::string text_;         // read and not yet taken, from begin_
    std::size_t begin_ = 0;    // of the next line
    std::size_t scanned_ = 0;  // no line ends between begin_ and here
};

}  // namespace satura::app
