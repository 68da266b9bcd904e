#include "client/web/watcher.hpp"

#include <algorithm>

#include <spdlog/spdlog.h>

#include "client/web/page_json.hpp"

namespace groth16d::web {
namespace {

// Longer than a busy supervisor takes to answer, shorter than a person's patience.
constexpr std::uint64_t kAnswer_ms = 5'000;

template <class Items>
void keep(std::deque<std::string>& kept, const Items& items, std::size_t most) {
  for (const auto& item : items) kept.push_back(text_of(client::to_json(item)));
  while (kept.size() > most) kept.pop_front();
}

std::string array_of(const std::deque<std::string>& items) {
  std::string text = "[";
  for (const std::string& item : items) text += (text.size() > 1 ? "," : "") + item;
  return text + "]";
}

}  // namespace

Watcher::Watcher(client::Address address)
    : address_(std::move(address)), last_at_(std::chrono::steady_clock::now()), thread_([this] { watch(); }) {}

Watcher::~Watcher() {
  close();
  thread_.join();
}

void Watcher::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  arrived_.notify_all();
}

void Watcher::watch() {
  std::unique_ptr<client::Client> client;
  while (true) {
    const auto begun = std::chrono::steady_clock::now();
    remember(look(client));
    std::unique_lock lock(mutex_);
    if (arrived_.wait_until(lock, begun + kPace, [this] { return closing_; })) return;
  }
}

// A daemon that was started again counts from 1 again.
void Watcher::restart_numbering_if_new(const v1::DaemonStatus& daemon) {
  const bool is_new = daemon.pid() != pid_ || daemon.uptime_ms() < uptime_ms_;
  pid_ = daemon.pid();
  uptime_ms_ = daemon.uptime_ms();
  if (is_new) request_.Clear();
}

Tick Watcher::look(std::unique_ptr<client::Client>& client) {
  Tick tick;
  tick.cards = gauge_.read();
  if (!client) {
    auto connected = client::Client::connect(address_, kAnswer_ms);
    if (connected) client = std::make_unique<client::Client>(std::move(*connected));
    if (!connected) tick.error = connected.error().text;
  }
  if (client) {
    auto reply = client->metrics(request_);
    if (reply) {
      const v1::MetricsRequest asked = request_;
      restart_numbering_if_new(reply->daemon());
      // Asked with the numbers of another daemon: once more, from the beginning.
      if (asked.spans_after() + asked.deaths_after() > 0 && request_.spans_after() + request_.deaths_after() == 0)
        reply = client->metrics(request_);
    }
    if (reply) {
      if (reply->spans_size() > 0) request_.set_spans_after(reply->spans().rbegin()->number());
      if (reply->recent_deaths_size() > 0) request_.set_deaths_after(reply->recent_deaths().rbegin()->number());
      tick.reply = std::make_shared<const v1::MetricsReply>(std::move(*reply));
    } else {
      tick.error = reply.error().text;
      client.reset();
    }
  }
  tick.json = text_of(tick.reply ? tick_json(*tick.reply, tick.cards) : silence_json(tick.error));
  return tick;
}

void Watcher::remember(Tick tick) {
  {
    const std::lock_guard lock(mutex_);
    const bool was_silent = !ticks_.empty() && !ticks_.back()->reply;
    if (!tick.reply && !was_silent) spdlog::warn("the daemon does not answer: {}", tick.error);
    if (tick.reply && was_silent) spdlog::info("the daemon answers again");
    tick.number = ticks_.empty() ? 1 : ticks_.back()->number + 1;
    if (tick.reply) {
      samples_.push_back(text_of(memory_sample(*tick.reply)));
      if (samples_.size() > kSamples) samples_.pop_front();
      keep(spans_, tick.reply->spans(), kSpans);
      keep(deaths_, tick.reply->recent_deaths(), kDeaths);
    }
    ticks_.push_back(std::make_shared<const Tick>(std::move(tick)));
    if (ticks_.size() > kTicks) ticks_.pop_front();
    last_at_ = std::chrono::steady_clock::now();
  }
  arrived_.notify_all();
}

std::shared_ptr<const Tick> Watcher::last() const {
  const std::lock_guard lock(mutex_);
  return ticks_.empty() ? nullptr : ticks_.back();
}

bool Watcher::is_stale() const {
  const std::lock_guard lock(mutex_);
  return std::chrono::steady_clock::now() - last_at_ > kStale;
}

std::vector<std::shared_ptr<const Tick>> Watcher::after(std::uint64_t number, std::chrono::milliseconds timeout) const {
  std::unique_lock lock(mutex_);
  arrived_.wait_for(lock, timeout, [&] { return closing_ || (!ticks_.empty() && ticks_.back()->number > number); });
  if (closing_) return {};
  std::vector<std::shared_ptr<const Tick>> newer;
  std::copy_if(ticks_.begin(), ticks_.end(), std::back_inserter(newer),
               [&](const auto& tick) { return tick->number > number; });
  return newer;
}

std::pair<std::string, std::uint64_t> Watcher::history() const {
  const std::lock_guard lock(mutex_);
  std::string text = "{\"samples\":" + array_of(samples_) + ",\"spans\":" + array_of(spans_) +
                     ",\"deaths\":" + array_of(deaths_) +
                     ",\"now\":" + (ticks_.empty() ? "null" : ticks_.back()->json) + "}";
  return {std::move(text), ticks_.empty() ? 0 : ticks_.back()->number};
}

}  // namespace groth16d::web
