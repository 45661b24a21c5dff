// The standard headers everybody needs, precompiled once (style: <iostream> <regex> <random>
// <ranges> <chrono> <filesystem> <thread> and every third-party library belong into .cpp files).
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
