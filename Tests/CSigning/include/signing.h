// Keys and signatures for tests, by OpenSSL: what an identity provider does.
#ifndef TABLECAST_TESTS_SIGNING_H
#define TABLECAST_TESTS_SIGNING_H

#include <stddef.h>

typedef struct signing_key signing_key;

// kind: "RSA" (bits), "P-256", "P-384", "Ed25519". NULL where there is none such.
signing_key *signing_key_make(const char *kind, int bits);
void signing_key_free(signing_key *key);
// A public parameter: "n", "e", "x", "y", big-endian. The number of bytes; 0 where it has none.
size_t signing_key_parameter(const signing_key *key, const char *name, unsigned char *bytes, size_t room);
// digest 256, 384 or 0; ECDSA signatures are r and s, each of `half` bytes (0: not ECDSA). The number of bytes.
size_t signing_key_sign(
  const signing_key *key, int digest, int is_pss, int half, const unsigned char *message, size_t count,
  unsigned char *signature, size_t room
);
#endif
