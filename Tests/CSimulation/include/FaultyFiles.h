// SQLite's files on a disk that keeps for certain only what was synced: at a power loss, writes since the last sync of a file are
// dropped, torn, or done out of order, as a seed chooses. Any write may find the disk full. Nothing is ever synced in earnest.
#pragma once

#include <stdint.h>

/// SQLite uses these files from now on.
///
/// - Parameter seed: what happens to them follows from it.
void simulation_files_begin(uint64_t seed);

/// One of so many writes finds the disk full, and one of so many syncs fails; 0: none.
void simulation_files_fail(int full_one_of, int sync_one_of);

/// How often the disk was full, how many syncs have failed, and how many writes a power loss has taken or torn.
typedef struct {
  uint64_t writes, syncs, full, failed_syncs, lost, torn;
} simulation_files_counts;
simulation_files_counts simulation_files_so_far(void);

/// The process that has opened files is gone, with its locks. After that its connections can do nothing any more.
///
/// - Parameter loses_power: what was not synced is partly gone, too.
void simulation_files_end(int loses_power);

/// Somebody has put other files in the place of these, and synced them. To be called after `simulation_files_end`.
void simulation_files_reread(void);

/// Closes the descriptors that this program has of a file.
void simulation_close(const char *path);
