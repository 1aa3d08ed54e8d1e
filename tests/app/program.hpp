// The built program, run as a user runs it: words, standard input, and what comes back.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace satura::test {

struct ProgramResult {
    std::string output;  // standard output
    std::string errors;  // standard error
    int status = 0;      // exit status; 128 + N where signal N ended it
    double time_s = 0;
};

// Runs a program in `folder`. Throws std::runtime_error where no process can be made; a program that
// is not there gives status 127. One that never ends is the test runner's to stop.
ProgramResult run_program(const std::string& program, const std::vector<std::string>& words,
                          std::string_view input, const std::string& folder);

// What is done to a process while it runs, and nobody reads what it writes.
struct Meanwhile {
    std::function<void(int process, int output)> act;  // the end of the pipe where output comes
    bool leaves_input_open = false;                    // behind the input, which fits into a pipe
};
ProgramResult run_program(const std::string& program, const std::vector<std::string>& words,
                          std::string_view input, const std::string& folder,
                          const Meanwhile& meanwhile);

// The program under test: what $SATURA_PROGRAM names.
std::string satura_program();
ProgramResult run_satura(const std::vector<std::string>& words, std::string_view input,
                         const std::string& folder = ".");

// The words of a command line: separated by blanks, 'quoted' or "quoted" as a whole. Within double
// quotes and outside of quotes \n, \r, \t, \\, \" and \xHH stand for the character.
std::vector<std::string> split_words(std::string_view line);

// The text with \n, \r, \t, \\, \" and \xHH replaced by the characters.
std::string unescape(std::string_view text);

// The text with "…" for what differs from run to run, the JSON fields time_*, and for what every
// change of a rule changes: costs, counts, rules applied.
std::string masked(const std::string& text);

}  // namespace satura::test
