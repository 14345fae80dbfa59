#!/bin/bash
# bundle-libraries.sh BINARY FOLDER LEAN: copies the libraries that BINARY loads into FOLDER, those of LEAN instead of the system's,
# and all but the C library's, which must be the system's own. BINARY looks for them in FOLDER first, by its path from there.
set -euo pipefail
mkdir -p "$2"
lean=$(realpath "$3")
LD_LIBRARY_PATH=$lean ldd "$1" | sed -n 's/.*=> \(\/[^ ]*\) (.*/\1/p' | sort -u | while read -r library; do
  case "$(basename "$library")" in
    libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | libresolv.so.* | libutil.so.* | ld-linux*) continue ;;
  esac
  install -m 0644 "$library" "$2/$(basename "$library")"
done
if LD_LIBRARY_PATH=$lean ldd "$1" | grep 'not found' >&2; then exit 1; fi
patchelf --force-rpath --set-rpath "\$ORIGIN/$(realpath --relative-to="$(dirname "$1")" "$2")" "$1"
