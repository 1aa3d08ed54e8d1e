// A thread with a large stack, kept for parsers that recurse on their input.
#pragma once

#include <functional>

namespace satura::lang {

// Runs `job` on the kept thread and returns when it is done. Callers on several threads wait for each other. The stack
// is 512 MB of address space of which only what is touched costs memory. `job` must not throw.
void run_on_parser_thread(const std::function<void()>& job);

}  // namespace satura::lang
