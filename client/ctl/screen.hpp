// A terminal that is drawn over as a whole: the alternate screen, and the user's own screen and cursor back at the end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/ctl/top_frame.hpp"

namespace groth16d::ctl {

// Of standard output; nullopt where it is no terminal.
std::optional<FrameSize> terminal_size();

class Screen {
 public:
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Each line is written over the old one and erased to its end, so that nothing flickers.
  void draw(const std::vector<std::string>& lines);
};

}  // namespace groth16d::ctl
