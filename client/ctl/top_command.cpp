// top: the daemon's memory, queue and workers, drawn every second until Ctrl-C.
#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <thread>

#include "client/ctl/command.hpp"
#include "client/ctl/screen.hpp"
#include "client/ctl/top_frame.hpp"
#include "client/json/message_json.hpp"

namespace groth16d::ctl {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSlice{50};  // how soon Ctrl-C and a new size are seen

bool is_same(FrameSize a, FrameSize b) { return a.columns == b.columns && a.rows == b.rows; }

// Until the period is over, the terminal has another size, or the user has had enough.
void pause(milliseconds period, FrameSize drawn) {
  const auto end = std::chrono::steady_clock::now() + period;
  while (std::chrono::steady_clock::now() < end && !is_interrupted()) {
    if (!is_same(terminal_size().value_or(drawn), drawn)) return;
    std::this_thread::sleep_for(kSlice);
  }
}

Result<void> watch(client::Client& client, milliseconds period) {
  Screen screen;
  while (!is_interrupted()) {
    const auto daemon = client.daemon_status();
    if (!daemon) return tl::unexpected<Error>(daemon.error());
    const FrameSize size = terminal_size().value_or(FrameSize{});
    screen.draw(frame_of(*daemon, size));
    pause(period, size);
  }
  return {};
}

void print_once(Session& session, client::Client& client) {
  const auto daemon = client.daemon_status();
  if (!daemon) return session.fail_call(daemon.error());
  FrameSize size;
  if (const auto terminal = terminal_size()) size.columns = terminal->columns;
  std::string text;
  for (const std::string& line : frame_of(*daemon, size)) text += line + '\n';
  session.print(client::to_json(*daemon), text);
}

void run_top(Session& session, bool once, double period_s) {
  auto client = session.connect();
  if (!client) return session.fail_call(client.error());
  if (once || session.json || !terminal_size()) return print_once(session, *client);
  watch_for_interruption();
  // The screen is the user's again before an error is told.
  if (auto watched = watch(*client, milliseconds(static_cast<std::int64_t>(period_s * 1000))); !watched)
    session.fail_call(watched.error());
}

}  // namespace

void add_top_command(CLI::App& app, Session& session) {
  auto once = std::make_shared<bool>(false);
  auto period_s = std::make_shared<double>(1);
  auto* top = app.add_subcommand("top", "memory, queue and workers of the daemon, live; Ctrl-C ends it");
  top->add_flag("--once", *once, "print one frame and end; so it does where standard output is no terminal");
  top->add_option("--every", *period_s, "seconds between frames (1)")->check(CLI::Range(0.1, 3600.0));
  top->callback([&session, once, period_s] { run_top(session, *once, *period_s); });
}

}  // namespace groth16d::ctl
