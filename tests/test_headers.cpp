// Carries the precompiled headers of the tests; never run.
int main() { return 0; }
