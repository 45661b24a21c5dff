#include "capi/program_place.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

#include "base/error.hpp"
#include "credo/bridgestan.h"

namespace credo::capi {
namespace {
constexpr std::string_view kEnding = "_model.so";

// The file this code was loaded from.
std::string own_library() {
  Dl_info info{};
  if (dladdr(&bs_major_version, &info) == 0 || info.dli_fname == nullptr) return {};
  return info.dli_fname;
}
}  // namespace

std::optional<std::string> program_beside(std::string_view library) {
  if (!library.ends_with(kEnding)) return std::nullopt;
  const std::string_view stem = library.substr(0, library.size() - kEnding.size());
  if (stem.empty() || stem.ends_with('/')) return std::nullopt;
  return std::string(stem) + ".stan";
}

std::string find_program() {
  const std::string library = own_library();
  if (auto beside = program_beside(library)) return *beside;
  const char* named = std::getenv("CREDO_PROGRAM");
  if (named != nullptr && *named != '\0') return named;
  throw Error(ErrorCode::usage, "which program is meant isn't known", "bs_model_construct",
              fmt::format("use credo_model_open; or copy {} to NAME_model.so beside NAME.stan; or "
                          "set the environment variable CREDO_PROGRAM",
                          library.empty() ? "the library" : library));
}

}  // namespace credo::capi
