// The factors of coordinate ascent and the statements that send them messages, as a table and as JSON.
#pragma once
#include "density/moment_form.hpp"

namespace credo::cli {

std::string messages_text(const density::MomentForm& form);
std::string messages_json(const density::MomentForm& form);

}  // namespace credo::cli
