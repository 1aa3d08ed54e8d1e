#include "tests/app/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <regex>
#include <stdexcept>

namespace satura::test {

namespace {

struct Pipe {
    std::array<int, 2> ends{};
    Pipe() {
        if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    }
    ~Pipe() {
        close_end(0);
        close_end(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    void close_end(std::size_t i) {
        if (ends[i] >= 0) close(ends[i]);
        ends[i] = -1;
    }
};

[[noreturn]] void become(const std::string& program, const std::vector<std::string>& words,
                         const std::string& folder, Pipe& in, Pipe& out, Pipe& err) {
    constexpr int cannot_run = 127;
    dup2(in.ends[0], STDIN_FILENO);
    dup2(out.ends[1], STDOUT_FILENO);
    dup2(err.ends[1], STDERR_FILENO);
    std::vector<char*> arguments;
    arguments.push_back(const_cast<char*>(program.c_str()));
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    if (chdir(folder.c_str()) == 0) execv(program.c_str(), arguments.data());
    _exit(cannot_run);
}

// Reads what there is; false at the end.
bool take(Pipe& from, std::string& text) {
    std::array<char, 65536> part;
    const ssize_t n = read(from.ends[0], part.data(), part.size());
    if (n <= 0) return false;
    text.append(part.data(), static_cast<std::size_t>(n));
    return true;
}

void write_all(Pipe& in, std::string_view input) {
    const ssize_t n = write(in.ends[1], input.data(), input.size());
    if (n != static_cast<ssize_t>(input.size())) throw std::runtime_error("no room in the pipe");
}

// Writes and reads by turns: a program that answers while it reads would fill its pipe and wait.
void talk(Pipe& in, Pipe& out, Pipe& err, std::string_view input, ProgramResult& result) {
    fcntl(in.ends[1], F_SETFL, O_NONBLOCK);
    bool has_out = true, has_err = true;
    if (input.empty()) in.close_end(1);
    while (has_out || has_err) {
        std::array<pollfd, 3> files{pollfd{has_out ? out.ends[0] : -1, POLLIN, 0},
                                    pollfd{has_err ? err.ends[0] : -1, POLLIN, 0},
                                    pollfd{in.ends[1], POLLOUT, 0}};
        if (poll(files.data(), files.size(), -1) < 0) throw std::runtime_error("poll failed");
        if (files[0].revents != 0) has_out = take(out, result.output);
        if (files[1].revents != 0) has_err = take(err, result.errors);
        if (files[2].revents != 0 && in.ends[1] >= 0) {
            const ssize_t n = write(in.ends[1], input.data(), input.size());
            if (n > 0) input.remove_prefix(static_cast<std::size_t>(n));
            if (n < 0 || input.empty()) in.close_end(1);
        }
    }
}

// The character that follows a backslash at `i`; moves i to its last character.
char escaped(std::string_view text, std::size_t& i) {
    const char c = text[++i];
    if (c == 'n') return '\n';
    if (c == 'r') return '\r';
    if (c == 't') return '\t';
    if (c != 'x' || i + 2 >= text.size()) return c;
    constexpr int hexadecimal = 16;
    const std::string digits(text.substr(i + 1, 2));
    i += 2;
    return static_cast<char>(std::stoi(digits, nullptr, hexadecimal));
}

}  // namespace

std::string satura_program() {
    const char* program = std::getenv("SATURA_PROGRAM");
    if (program == nullptr) throw std::runtime_error("SATURA_PROGRAM is not set");
    return program;
}

ProgramResult run_satura(const std::vector<std::string>& words, std::string_view input,
                         const std::string& folder) {
    return run_program(satura_program(), words, input, folder);
}

ProgramResult run_program(const std::string& program, const std::vector<std::string>& words,
                          std::string_view input, const std::string& folder) {
    return run_program(program, words, input, folder, {});
}

ProgramResult run_program(const std::string& program, const std::vector<std::string>& words,
                          std::string_view input, const std::string& folder,
                          const Meanwhile& meanwhile) {
    std::signal(SIGPIPE, SIG_IGN);  // a program that ends before it read all
    ProgramResult result;
    Pipe in, out, err;
    const auto begin = std::chrono::steady_clock::now();
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("cannot start a process");
    if (child == 0) {
        std::signal(SIGPIPE, SIG_DFL);
        std::signal(SIGINT, SIG_DFL);  // a shell ignores it in what it runs in the background
        become(program, words, folder, in, out, err);
    }
    in.close_end(0);
    out.close_end(1);
    err.close_end(1);
    if (meanwhile.act) {
        write_all(in, input);
        input = {};
        if (!meanwhile.leaves_input_open) in.close_end(1);
        meanwhile.act(child, out.ends[0]);
    }
    talk(in, out, err, input, result);
    int state = 0;
    waitpid(child, &state, 0);
    constexpr int signal_base = 128;
    result.status = WIFEXITED(state) ? WEXITSTATUS(state) : signal_base + WTERMSIG(state);
    result.time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

std::vector<std::string> split_words(std::string_view line) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == ' ') continue;
        std::string& word = words.emplace_back();
        char quote = '\0';
        for (; i < line.size() && (quote != '\0' || line[i] != ' '); ++i) {
            const char c = line[i];
            if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
                word += escaped(line, i);
            } else if (quote != '\0' ? c == quote : c == '"' || c == '\'') {
                quote = quote == '\0' ? c : '\0';
            } else {
                word += c;
            }
        }
    }
    return words;
}

std::string unescape(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        result += text[i] == '\\' && i + 1 < text.size() ? escaped(text, i) : text[i];
    }
    return result;
}

std::string masked(const std::string& text) {
    static const std::regex number(
        R"re("(time_[a-z_]+|cost_[a-z]+|cost|iterations|nodes|classes)":[^,}]+)re");
    static const std::regex rules(R"re("rules":\{[^}]*\})re");
    static const std::regex time("[0-9]+\\.[0-9] seconds"), questions("[0-9]+ questions");
    const std::string numbers = std::regex_replace(text, number, "\"$1\":…");
    const std::string seconds = std::regex_replace(numbers, time, "… seconds");
    return std::regex_replace(std::regex_replace(seconds, questions, "… questions"), rules,
                              "\"rules\":{…}");
}

}  // namespace satura::test
