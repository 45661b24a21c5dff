#include "base/stop.hpp"

namespace credo::stop_detail {

void give_up() { throw Stopped{}; }

}  // namespace credo::stop_detail
