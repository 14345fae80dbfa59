#include "signing.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <string.h>

signing_key *signing_key_make(const char *kind, int bits) {
  if (strcmp(kind, "RSA") == 0) return (signing_key *)EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)bits);
  if (strcmp(kind, "Ed25519") == 0) return (signing_key *)EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
  return (signing_key *)EVP_PKEY_Q_keygen(NULL, NULL, "EC", kind);
}

void signing_key_free(signing_key *key) { EVP_PKEY_free((EVP_PKEY *)key); }

size_t signing_key_parameter(const signing_key *given, const char *name, unsigned char *bytes, size_t room) {
  const EVP_PKEY *key = (const EVP_PKEY *)given;
  BIGNUM *number = NULL;
  size_t count = room;
  if (EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519) {
    return EVP_PKEY_get_raw_public_key(key, bytes, &count) == 1 ? count : 0;
  }
  const int is_ec = EVP_PKEY_get_base_id(key) == EVP_PKEY_EC;
  const char *parameter = strcmp(name, "n") == 0   ? OSSL_PKEY_PARAM_RSA_N
                          : strcmp(name, "e") == 0 ? OSSL_PKEY_PARAM_RSA_E
                          : strcmp(name, "x") == 0 ? OSSL_PKEY_PARAM_EC_PUB_X
                                                   : OSSL_PKEY_PARAM_EC_PUB_Y;
  if (EVP_PKEY_get_bn_param(key, parameter, &number) != 1) return 0;
  const int width = is_ec ? (EVP_PKEY_get_bits(key) + 7) / 8 : BN_num_bytes(number);
  const int written = (size_t)width <= room ? BN_bn2binpad(number, bytes, width) : 0;
  BN_free(number);
  return written > 0 ? (size_t)written : 0;
}

size_t signing_key_sign(
  const signing_key *given, int digest, int is_pss, int half, const unsigned char *message, size_t count,
  unsigned char *signature, size_t room
) {
  EVP_PKEY *key = (EVP_PKEY *)given;
  const EVP_MD *kind = digest == 256 ? EVP_sha256() : digest == 384 ? EVP_sha384() : NULL;
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  EVP_PKEY_CTX *terms = NULL;
  size_t length = room;
  int is_good = EVP_DigestSignInit(context, &terms, kind, NULL, key) == 1;
  if (is_good && is_pss) {
    is_good = EVP_PKEY_CTX_set_rsa_padding(terms, RSA_PKCS1_PSS_PADDING) == 1 &&
              EVP_PKEY_CTX_set_rsa_pss_saltlen(terms, RSA_PSS_SALTLEN_DIGEST) == 1;
  }
  is_good = is_good && EVP_DigestSign(context, signature, &length, message, count) == 1;
  EVP_MD_CTX_free(context);
  if (!is_good) return 0;
  if (half == 0) return length;
  const unsigned char *encoded = signature;
  ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &encoded, (long)length);
  if (pair == NULL) return 0;
  const int first = BN_bn2binpad(ECDSA_SIG_get0_r(pair), signature, half);
  const int second = BN_bn2binpad(ECDSA_SIG_get0_s(pair), signature + half, half);
  ECDSA_SIG_free(pair);
  return first == half && second == half ? (size_t)half * 2 : 0;
}
