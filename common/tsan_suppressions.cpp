// What the thread sanitizer must overlook: Debian's libzmq is built without it, so its atomics, by which a message's
// bytes go from one of its threads to ours, are not seen. Weak, because every target that is built has a copy.
extern "C" __attribute__((weak)) const char* __tsan_default_suppressions() { return "race:libzmq.so\n"; }
