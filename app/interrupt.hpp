// SIGINT: the first one ends the current saturation, whose best answer so far is then given; the second one ends the program.
#pragma once

#include <atomic>

namespace satura::app {

// From now on the first SIGINT sets the token that is returned, for egraph::Limits::interrupt; before, it ends the program at
// once. Where the program was started with SIGINT ignored it stays so.
const std::atomic<bool>& watch_interrupts();

bool is_interrupted();

// Waits until standard input has something to read or has ended; false: there was an interrupt.
bool wait_for_input();

}  // namespace satura::app
