#include "app/interrupt.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace satura::app {

namespace {

// What a signal handler may touch is global.
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);
// The handler writes into it what wait_for_input waits for: a signal between a look at the token and the wait, or one that
// another thread takes, would not end the wait by itself.
std::array<int, 2> wake{-1, -1};

void on_interrupt(int) {
    const int before = errno;
    interrupted.store(true, std::memory_order_relaxed);
    [[maybe_unused]] const auto written = write(wake[1], "", 1);
    errno = before;
}

}  // namespace

const std::atomic<bool>& watch_interrupts() {
    if (wake[0] >= 0) return interrupted;
    struct sigaction action{};
    sigaction(SIGINT, nullptr, &action);
    if (action.sa_handler == SIG_IGN || pipe(wake.data()) != 0) return interrupted;
    for (int end : wake) fcntl(end, F_SETFD, FD_CLOEXEC);
    action = {};
    action.sa_handler = on_interrupt;
    action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);  // the next one kills
    sigaction(SIGINT, &action, nullptr);
    return interrupted;
}

bool is_interrupted() { return interrupted.load(std::memory_order_relaxed); }

bool wait_for_input() {
    std::array<pollfd, 2> files{pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{wake[0], POLLIN, 0}};
    while (!is_interrupted() && poll(files.data(), files.size(), -1) < 0 && errno == EINTR) {
    }
    return !is_interrupted();
}

}  // namespace satura::app
