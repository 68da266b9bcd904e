// The page's files, inside the program: what is served cannot differ from what was built, and nothing is fetched from
// elsewhere.
#pragma once

#include <string_view>

namespace groth16d::web {

struct Asset {
  std::string_view path;  // "/dashboard.css"
  std::string_view type;  // of its content
  std::string_view bytes;
};

// nullptr: there is none of that path.
const Asset* find_asset(std::string_view path);

}  // namespace groth16d::web
