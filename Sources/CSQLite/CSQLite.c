#include "CSQLite.h"

#include <sqlite3.h>
#include <stddef.h>

int csqlite_checkpoint_when_closed(struct sqlite3 *connection, bool is_made) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, is_made ? 0 : 1, (int *)0);
}

int csqlite_rewrite_log(struct sqlite3 *connection) {
  enum { most = 64 << 10 };
  sqlite3_file *log = NULL;
  int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (code != SQLITE_OK || log == NULL || log->pMethods == NULL) return code;
  sqlite3_int64 size = 0;
  if ((code = log->pMethods->xFileSize(log, &size)) != SQLITE_OK || size == 0) return code;
  void *bytes = sqlite3_malloc(most);
  if (bytes == NULL) return SQLITE_NOMEM;
  for (sqlite3_int64 offset = 0; offset < size && code == SQLITE_OK; offset += most) {
    int count = size - offset < most ? (int)(size - offset) : most;
    code = log->pMethods->xRead(log, bytes, count, offset);
    if (code == SQLITE_OK) code = log->pMethods->xWrite(log, bytes, count, offset);
  }
  sqlite3_free(bytes);
  return code == SQLITE_OK ? log->pMethods->xSync(log, SQLITE_SYNC_NORMAL) : code;
}
