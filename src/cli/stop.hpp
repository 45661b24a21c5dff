// SIGINT and SIGTERM set a flag that runs look at between evaluations.
#pragma once
#include <atomic>

namespace credo::cli {
const std::atomic<bool>*
stop_flag();  // installs the handlers at the first call; a second signal ends the program
}
