// do_all, from base: runs independent tasks on all processors.
#pragma once
#include "base/tasks.hpp"
