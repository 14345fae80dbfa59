#ifndef CSQLITE_H
#define CSQLITE_H

#include <stdbool.h>

struct sqlite3;

// Whether a connection, where it is the last one to be closed, brings the write-ahead log home and removes it; true until this says
// otherwise. sqlite3_db_config takes a variable number of arguments, which Swift cannot pass. Returns SQLite's code.
int csqlite_checkpoint_when_closed(struct sqlite3 *connection, bool is_made);

// Writes the bytes of the write-ahead log over themselves and syncs them, so that the disk has all that the kernel has of it. Nobody else
// may write meanwhile. Nothing where there is no log. Returns SQLite's code.
int csqlite_rewrite_log(struct sqlite3 *connection);

#endif
