// The machine as a simulation has it: its clocks stand where they are put, its random numbers follow from a seed. The
// program's own definitions of these calls come before the system's, for all libraries that it has loaded.
#pragma once

#include <stdint.h>

/// Has the program begin anew without random addresses and hashes, unless it has; returns where it has.
void simulation_begin(char *const arguments[]);

/// From now on the clocks stand at `monotonic` and `wall`, in nanoseconds, until they are put elsewhere.
void simulation_set_clocks(uint64_t monotonic, uint64_t wall);

/// From now on what the system gives as random follows from a seed.
void simulation_seed(uint64_t seed);

/// Nanoseconds of the real clock.
uint64_t simulation_real_time(void);

#include "FaultyFiles.h"
