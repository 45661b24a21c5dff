// Independent pieces of work over all processors: do_all, of base.
#pragma once
#include "base/tasks.hpp"
