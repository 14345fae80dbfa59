#define _GNU_SOURCE
#include "include/FaultyFiles.h"

#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A write, or a change of the length (no bytes), that no sync has followed.
typedef struct Change {
  sqlite3_int64 offset;
  int length;
  unsigned char *bytes;
  struct Change *next;
} Change;

// A file on the disk.
typedef struct Image {
  char *path;
  // As it is after a power loss for certain.
  unsigned char *durable;
  sqlite3_int64 size, capacity;
  Change *first, *last;
  struct Image *next;
} Image;

// A file as a connection has it. The system's own follows in memory.
typedef struct File {
  sqlite3_file base;
  Image *image;
  int is_dead;
  struct File *next;
} File;

static sqlite3_vfs *below, files;
static sqlite3_io_methods methods;
static Image *images;
static File *opened;
static uint64_t random_state;
static int full_one_of, sync_one_of;
static simulation_files_counts counts;

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((File *)file + 1); }

// SplitMix64.
static uint64_t next_random(void) {
  uint64_t mixed = random_state += 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

static int chance(int of) { return of > 0 && next_random() % (uint64_t)of == 0; }

// MARK: The disk

static void *demand(void *memory) {
  if (!memory) abort();
  return memory;
}

static void resize(Image *image, sqlite3_int64 size) {
  if (size > image->capacity) {
    image->capacity = size + size / 2 + 4096;
    image->durable = demand(realloc(image->durable, (size_t)image->capacity));
  }
  if (size > image->size) memset(image->durable + image->size, 0, (size_t)(size - image->size));
  image->size = size;
}

static void put(Image *image, sqlite3_int64 offset, const unsigned char *bytes, int length) {
  if (offset + length > image->size) resize(image, offset + length);
  memcpy(image->durable + offset, bytes, (size_t)length);
}

static void apply(Image *image, const Change *change) {
  if (change->bytes) put(image, change->offset, change->bytes, change->length);
  else resize(image, change->offset);
}

// Only some sectors of a write reach the disk.
static void tear(Image *image, const Change *change) {
  enum { sector = 512 };
  for (int start = 0; start < change->length; start += sector) {
    int length = change->length - start < sector ? change->length - start : sector;
    if (chance(2)) put(image, change->offset + start, change->bytes + start, length);
  }
}

static void add(Image *image, sqlite3_int64 offset, const void *bytes, int length) {
  Change *change = demand(calloc(1, sizeof(Change)));
  change->offset = offset;
  change->length = length;
  if (bytes) {
    change->bytes = demand(malloc((size_t)length + 1));
    memcpy(change->bytes, bytes, (size_t)length);
  }
  if (image->last) image->last->next = change; else image->first = change;
  image->last = change;
}

// Of the changes since the last sync each is done or not.
typedef enum { all, none, beginning, some } Kept;

static void settle(Image *image, Kept kept) {
  int has_ended = 0;
  for (Change *change = image->first, *next; change; change = next) {
    next = change->next;
    if (kept == beginning && chance(4)) has_ended = 1;
    int is_done = kept == all || (kept == beginning && !has_ended) || (kept == some && chance(2));
    if (is_done) apply(image, change);
    else if (kept != none && change->bytes && chance(3)) tear(image, change), counts.torn++;
    else counts.lost++;
    free(change->bytes);
    free(change);
  }
  image->first = image->last = NULL;
}

// The file that it is on the disk: what was there when it was first opened is there for certain.
static Image *image_of(const char *path) {
  for (Image *image = images; image; image = image->next) if (!strcmp(image->path, path)) return image;
  Image *image = demand(calloc(1, sizeof(Image)));
  image->path = demand(strdup(path));
  image->next = images;
  images = image;
  FILE *file = fopen(path, "rb");
  if (!file) return image;
  unsigned char bytes[4096];
  for (size_t count; (count = fread(bytes, 1, sizeof bytes, file)) > 0;) put(image, image->size, bytes, (int)count);
  fclose(file);
  return image;
}

// Under its own name, as its number tells it from another one in its place.
static void write_back(const Image *image) {
  int descriptor = open(image->path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return;
  sqlite3_int64 done = 0;
  while (done < image->size) {
    ssize_t count = pwrite(descriptor, image->durable + done, (size_t)(image->size - done), (off_t)done);
    if (count <= 0) abort();
    done += count;
  }
  if (ftruncate(descriptor, (off_t)image->size) != 0) abort();
  close(descriptor);
}

// MARK: A file of a connection

static int forget(File *file) {
  for (File **place = &opened; *place; place = &(*place)->next) {
    if (*place == file) {
      *place = file->next;
      return 1;
    }
  }
  return 0;
}

static int close_file(sqlite3_file *file) {
  return forget((File *)file) ? real(file)->pMethods->xClose(real(file)) : SQLITE_OK;
}

static int read_file(sqlite3_file *file, void *bytes, int length, sqlite3_int64 offset) {
  if (((File *)file)->is_dead) return SQLITE_IOERR_READ;
  return real(file)->pMethods->xRead(real(file), bytes, length, offset);
}

static int write_file(sqlite3_file *file, const void *bytes, int length, sqlite3_int64 offset) {
  File *mine = (File *)file;
  if (mine->is_dead) return SQLITE_IOERR_WRITE;
  int is_full = mine->image && chance(full_one_of), written = length;
  // A part of it may be there all the same.
  if (is_full) written = chance(2) ? 0 : (int)(next_random() % (uint64_t)(length + 1));
  counts.writes++;
  if (written > 0) {
    int code = real(file)->pMethods->xWrite(real(file), bytes, written, offset);
    if (code != SQLITE_OK) return code;
    if (mine->image) add(mine->image, offset, bytes, written);
  }
  if (!is_full) return SQLITE_OK;
  counts.full++;
  return SQLITE_FULL;
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
  File *mine = (File *)file;
  if (mine->is_dead) return SQLITE_IOERR_TRUNCATE;
  int code = real(file)->pMethods->xTruncate(real(file), size);
  if (code == SQLITE_OK && mine->image) add(mine->image, size, NULL, 0);
  return code;
}

static int sync_file(sqlite3_file *file, int flags) {
  (void)flags;
  File *mine = (File *)file;
  if (mine->is_dead) return SQLITE_IOERR_FSYNC;
  if (!mine->image) return SQLITE_OK;
  counts.syncs++;
  if (mine->image->first && chance(sync_one_of)) {
    // As Linux has it: what could not be written counts as written from now on.
    counts.failed_syncs++;
    settle(mine->image, some);
    return SQLITE_IOERR_FSYNC;
  }
  settle(mine->image, all);
  return SQLITE_OK;
}

static int size_of_file(sqlite3_file *file, sqlite3_int64 *size) {
  if (((File *)file)->is_dead) return SQLITE_IOERR_FSTAT;
  return real(file)->pMethods->xFileSize(real(file), size);
}

static int lock_file(sqlite3_file *file, int level) {
  return ((File *)file)->is_dead ? SQLITE_IOERR_LOCK : real(file)->pMethods->xLock(real(file), level);
}

static int unlock_file(sqlite3_file *file, int level) {
  return ((File *)file)->is_dead ? SQLITE_OK : real(file)->pMethods->xUnlock(real(file), level);
}

static int check_lock(sqlite3_file *file, int *result) {
  if (((File *)file)->is_dead) return SQLITE_IOERR_CHECKRESERVEDLOCK;
  return real(file)->pMethods->xCheckReservedLock(real(file), result);
}

static int control_file(sqlite3_file *file, int operation, void *argument) {
  if (((File *)file)->is_dead) return SQLITE_NOTFOUND;
  return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

static int sector_size(sqlite3_file *file) {
  return ((File *)file)->is_dead ? 4096 : real(file)->pMethods->xSectorSize(real(file));
}

static int characteristics(sqlite3_file *file) {
  return ((File *)file)->is_dead ? 0 : real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static int map_shared(sqlite3_file *file, int page, int size, int extends, void volatile **memory) {
  if (((File *)file)->is_dead) return SQLITE_IOERR_SHMMAP;
  return real(file)->pMethods->xShmMap(real(file), page, size, extends, memory);
}

static int lock_shared(sqlite3_file *file, int offset, int count, int flags) {
  if (((File *)file)->is_dead) return SQLITE_IOERR_SHMLOCK;
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void barrier(sqlite3_file *file) {
  if (!((File *)file)->is_dead) real(file)->pMethods->xShmBarrier(real(file));
}

static int unmap_shared(sqlite3_file *file, int deletes) {
  return ((File *)file)->is_dead ? SQLITE_OK : real(file)->pMethods->xShmUnmap(real(file), deletes);
}

// MARK: The files

static int open_file(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *result) {
  (void)vfs;
  File *mine = (File *)file;
  memset(mine, 0, sizeof(File));
  // Before it is opened: what is there is there for certain.
  int is_kept = name && flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL);
  mine->image = is_kept ? image_of(name) : NULL;
  int code = below->xOpen(below, name, real(file), flags, result);
  if (code != SQLITE_OK) return code;
  mine->base.pMethods = &methods;
  mine->next = opened;
  opened = mine;
  return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int syncs) {
  (void)vfs;
  int code = below->xDelete(below, name, syncs);
  for (Image *image = images; image && code == SQLITE_OK; image = image->next) {
    if (strcmp(image->path, name)) continue;
    settle(image, none);
    image->size = 0;
  }
  return code;
}

static int random_bytes(sqlite3_vfs *vfs, int count, char *bytes) {
  (void)vfs;
  for (int i = 0; i < count; i++) bytes[i] = (char)next_random();
  return count;
}

void simulation_files_begin(uint64_t seed) {
  random_state = seed;
  below = sqlite3_vfs_find(NULL);
  if (!below) abort();
  files = *below;
  files.zName = "simulation";
  files.szOsFile = (int)sizeof(File) + below->szOsFile;
  files.pNext = NULL;
  files.xOpen = open_file;
  files.xDelete = delete_file;
  files.xRandomness = random_bytes;
  methods = (sqlite3_io_methods){
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = size_of_file,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = check_lock,
    .xFileControl = control_file,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = map_shared,
    .xShmLock = lock_shared,
    .xShmBarrier = barrier,
    .xShmUnmap = unmap_shared,
  };
  if (sqlite3_vfs_register(&files, 1) != SQLITE_OK) abort();
}

void simulation_files_fail(int full, int sync) {
  full_one_of = full;
  sync_one_of = sync;
}

simulation_files_counts simulation_files_so_far(void) { return counts; }

void simulation_files_end(int loses_power) {
  while (opened) {
    File *file = opened;
    opened = file->next;
    sqlite3_file *own = real(&file->base);
    // The log's file has no shared memory.
    if (file->image && own->pMethods->iVersion >= 2) own->pMethods->xShmUnmap(own, 0);
    own->pMethods->xUnlock(own, SQLITE_LOCK_NONE);
    own->pMethods->xClose(own);
    file->is_dead = 1;
  }
  if (!loses_power) return;
  // All files lose in the same way, or each in its own.
  Kept kept = (Kept)(1 + next_random() % 3);
  int is_same = chance(2);
  for (Image *image = images; image; image = image->next) {
    settle(image, is_same ? kept : (Kept)(1 + next_random() % 3));
    write_back(image);
  }
}

void simulation_files_reread(void) {
  for (Image *image = images, *next; image; image = next) {
    next = image->next;
    for (Change *change = image->first, *other; change; change = other) {
      other = change->next;
      free(change->bytes);
      free(change);
    }
    free(image->path);
    free(image->durable);
    free(image);
  }
  images = NULL;
}

void simulation_close(const char *path) {
  char own[4096], name[64];
  if (!realpath(path, own)) return;
  DIR *folder = opendir("/proc/self/fd");
  if (!folder) return;
  int found[64], count = 0;
  for (struct dirent *entry; (entry = readdir(folder)) && count < 64;) {
    char target[4096];
    snprintf(name, sizeof name, "/proc/self/fd/%.20s", entry->d_name);
    ssize_t length = readlink(name, target, sizeof target - 1);
    if (length <= 0) continue;
    target[length] = 0;
    if (!strcmp(target, own)) found[count++] = atoi(entry->d_name);
  }
  closedir(folder);
  for (int i = 0; i < count; i++) close(found[i]);
}
