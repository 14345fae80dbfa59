#include "CSQLite.h"

#include <sqlite3.h>

int csqlite_checkpoint_when_closed(struct sqlite3 *connection, bool is_made) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, is_made ? 0 : 1, (int *)0);
}
