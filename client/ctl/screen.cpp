#include "client/ctl/screen.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <iostream>

namespace groth16d::ctl {
namespace {

// ECMA-48 and xterm's private modes 1049 (alternate screen) and 25 (cursor).
constexpr char kEnter[] = "\x1b[?1049h\x1b[?25l\x1b[2J";
constexpr char kLeave[] = "\x1b[?25h\x1b[?1049l";
constexpr char kHome[] = "\x1b[H";
constexpr char kEraseToLineEnd[] = "\x1b[K";
constexpr char kEraseBelow[] = "\x1b[J";

}  // namespace

std::optional<FrameSize> terminal_size() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) != 1 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return std::nullopt;
  if (size.ws_col == 0 || size.ws_row == 0) return FrameSize{80, 24};
  return FrameSize{size.ws_col, size.ws_row};
}

Screen::Screen() { std::cout << kEnter << std::flush; }

Screen::~Screen() { std::cout << kLeave << std::flush; }

void Screen::draw(const std::vector<std::string>& lines) {
  std::string text = kHome;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    if (line > 0) text += "\r\n";
    text += lines[line] + kEraseToLineEnd;
  }
  std::cout << text << kEraseBelow << std::flush;
}

}  // namespace groth16d::ctl
