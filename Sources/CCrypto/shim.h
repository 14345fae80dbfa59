// The face of OpenSSL's libcrypto for Swift, which libcurl has brought into the process anyway: one digest, one
// authentication code, one comparison. No logic beyond the calls.
#ifndef TABLECAST_CCRYPTO_H
#define TABLECAST_CCRYPTO_H

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <stddef.h>

// 0 where libcrypto could not do it.
static inline int ccrypto_sha256(const void *bytes, size_t count, unsigned char *digest) {
  return EVP_Digest(bytes, count, digest, NULL, EVP_sha256(), NULL);
}

// 0 where libcrypto could not do it.
static inline int ccrypto_hmac_sha256(
  const void *key, size_t key_count, const void *bytes, size_t count, unsigned char *code
) {
  if (key_count > INT_MAX) return 0;
  return HMAC(EVP_sha256(), key, (int)key_count, bytes, count, code, NULL) != NULL;
}

// Whether two texts of one length are the same, in a time that doesn't tell where they differ.
static inline int ccrypto_equal(const void *first, const void *second, size_t count) {
  return CRYPTO_memcmp(first, second, count) == 0;
}

#endif
