#include "workers/runtime/last_stand.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <exception>
#include <optional>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "common/posix.hpp"
#include "shm/last_words.hpp"

namespace groth16d::worker {

namespace {

// Signal handlers know no object, so the page is a global; it is mapped once and never unmapped.
std::optional<shm::LastWordsPage> page;
std::atomic<BusFaultRepair> bus_fault_repair{nullptr};

constexpr std::array kFatalSignals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

const char* signal_name(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGILL:
      return "SIGILL";
    case SIGFPE:
      return "SIGFPE";
    default:
      return "SIGABRT";
  }
}

// A line of text without allocation.
class SignalSafeLine {
 public:
  void add(std::string_view text) {
    for (const char c : text) {
      if (size_ < buffer_.size()) buffer_[size_++] = c;
    }
  }
  void add_hex(std::uint64_t value) {
    add("0x");
    for (int shift = 60; shift >= 0; shift -= 4) {
      const char digit = "0123456789abcdef"[(value >> shift) & 15];
      add({&digit, 1});
    }
  }
  std::string_view text() const { return {buffer_.data(), size_}; }

 private:
  std::array<char, 128> buffer_{};
  std::size_t size_ = 0;
};

void on_fatal_signal(int signal, siginfo_t* info, void*) {
  const bool is_fault = info->si_code > 0;  // made by the processor, not sent by a process
  if (signal == SIGBUS && is_fault) {
    const BusFaultRepair repair = bus_fault_repair.load(std::memory_order_relaxed);
    if (repair != nullptr && repair(info->si_addr)) return;
  }
  const bool own_abort = signal == SIGABRT && info->si_pid == ::getpid();  // it has said why already
  if (page && !own_abort) {
    SignalSafeLine line;
    line.add(signal_name(signal));
    if (is_fault) {
      line.add(" at address ");
      line.add_hex(reinterpret_cast<std::uintptr_t>(info->si_addr));
    }
    page->say(line.text());
  }
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(signal, &standard, nullptr);
  ::raise(signal);  // delivered when this handler returns
}

[[noreturn]] void on_terminate() {
  try {
    if (const std::exception_ptr current = std::current_exception()) std::rethrow_exception(current);
    say_last_words("std::terminate without an exception");
  } catch (const std::exception& exception) {
    say_last_words(exception.what());
  } catch (...) {
    say_last_words("an exception of an unknown type");
  }
  std::abort();
}

// A signal stack for as long as its thread lives. A thread that has one (a sanitizer gives one) keeps it.
class SignalStack {
 public:
  SignalStack() {
    stack_t present{};
    ::sigaltstack(nullptr, &present);
    if ((present.ss_flags & SS_DISABLE) == 0) return;
    stack_t stack{};
    stack.ss_sp = memory_.data();
    stack.ss_size = memory_.size();
    is_ours_ = ::sigaltstack(&stack, nullptr) == 0;
  }
  ~SignalStack() {
    if (!is_ours_) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  std::array<std::byte, 64 * 1024> memory_;
  bool is_ours_ = false;
};

}  // namespace

Result<void> install_last_stand(int last_words_fd) {
  if (::fcntl(last_words_fd, F_GETFD) >= 0) {
    Result<shm::LastWordsPage> mapped = shm::LastWordsPage::map(last_words_fd);
    if (!mapped) return tl::unexpected(mapped.error());
    page.emplace(std::move(*mapped));
  }
  give_thread_signal_stack();
  struct sigaction action {};
  action.sa_sigaction = on_fatal_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : kFatalSignals) {
    if (::sigaction(signal, &action, nullptr) != 0) return system_failure("sigaction", signal_name(signal));
  }
  std::set_terminate(on_terminate);
  return {};
}

void give_thread_signal_stack() { thread_local const SignalStack stack; }

void begin_last_words(std::string_view stage, std::string_view job, std::uint32_t partition, std::uint32_t attempt,
                      std::uint64_t assignment) {
  if (page) page->begin(stage, job, partition, attempt, assignment);
}

void say_last_words(std::string_view text) {
  if (page) page->say(text);
}

void end_last_words() {
  if (!page) return;
  page->say("");  // of finished work there is nothing to say
  page->end();
}

void set_bus_fault_repair(BusFaultRepair repair) { bus_fault_repair.store(repair, std::memory_order_relaxed); }

}  // namespace groth16d::worker
