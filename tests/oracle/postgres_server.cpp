#include "tests/oracle/postgres_server.hpp"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <vector>

namespace satura::test {

namespace {

// Nothing has to survive a crash, and nobody else connects.
constexpr const char* settings =
    " -c listen_addresses= -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c "
    "autovacuum=off -c jit=off"
    " -c max_connections=4 -c shared_buffers=16MB -c timezone=UTC -c log_min_messages=panic";

// The unprivileged user that PostgreSQL runs as where we are root.
const passwd* other_user() {
    const passwd* user = getpwnam("postgres");
    return user != nullptr ? user : getpwnam("nobody");
}

// Runs a program to its end, with nothing to read and its words only where they are complaints.
bool run(std::vector<std::string> words) {
    const pid_t child = fork();
    if (child == 0) {
        const int nothing = open("/dev/null", O_RDWR);
        dup2(nothing, 0);
        dup2(nothing, 1);
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        execv(arguments[0], arguments.data());
        _exit(127);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// One byte from a pipe; false at its end.
bool read_byte(int pipe) {
    char byte = 0;
    ssize_t got = 0;
    do got = read(pipe, &byte, 1);
    while (got < 0 && errno == EINTR);
    return got == 1;
}

// The second process: writes a byte to `ready` when the server is up, and stops it at the end of `alive`.
[[noreturn]] void keep_server(const std::string& programs, const std::string& folder, int alive,
                              int ready) {
    setsid();  // signals to the test's group are not for us
    if (geteuid() == 0) {
        const passwd* user = other_user();
        if (setgroups(0, nullptr) != 0 || setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0)
            _exit(1);
    }
    if (chdir("/") != 0) _exit(1);
    const std::string data = folder + "/data";
    const std::string options = "-c unix_socket_directories=" + folder + settings;
    const bool is_up = run({programs + "/initdb", "-D", data, "-A", "trust", "-U", "test", "-E",
                            "UTF8", "--locale=C", "--no-sync"}) &&
                       run({programs + "/pg_ctl", "-D", data, "-l", folder + "/log", "-w", "-o",
                            options, "start"});
    if (is_up) {
        if (write(ready, "!", 1) == 1) read_byte(alive);
        run({programs + "/pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"});
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    _exit(is_up ? 0 : 1);
}

}  // namespace

PostgresServer::PostgresServer(const std::string& programs) {
    if (access((programs + "/initdb").c_str(), X_OK) != 0) {
        why_not_ = "no initdb in " + programs;
        return;
    }
    folder_ = (std::filesystem::temp_directory_path() / "satura-XXXXXX").string();
    if (mkdtemp(folder_.data()) == nullptr) {
        why_not_ = folder_ + ": " + std::strerror(errno);
        return;
    }
    const passwd* user = geteuid() == 0 ? other_user() : nullptr;
    if (geteuid() == 0 &&
        (user == nullptr || chown(folder_.c_str(), user->pw_uid, user->pw_gid) != 0)) {
        why_not_ = "PostgreSQL does not run as root, and there is no other user";
        rmdir(folder_.c_str());
        return;
    }
    std::array<int, 2> alive{}, ready{};
    if (pipe2(alive.data(), O_CLOEXEC) != 0 || pipe2(ready.data(), O_CLOEXEC) != 0) {
        why_not_ = std::string("no pipe: ") + std::strerror(errno);
        rmdir(folder_.c_str());
        return;
    }
    keeper_ = fork();
    if (keeper_ == 0) {
        close(alive[1]);
        close(ready[0]);
        keep_server(programs, folder_, alive[0], ready[1]);
    }
    close(alive[0]);
    close(ready[1]);
    alive_ = alive[1];
    if (!read_byte(ready[0])) why_not_ = programs + "/initdb or pg_ctl failed";
    close(ready[0]);
}

PostgresServer::~PostgresServer() {
    if (keeper_ < 0) return;
    close(alive_);
    while (waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

}  // namespace satura::test
