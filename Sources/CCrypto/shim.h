// The face of OpenSSL's libcrypto for Swift, which libcurl has brought into the process anyway: one digest, one
// authentication code, one comparison, one cipher, and signatures that are verified by public keys. No logic beyond the calls.
#ifndef TABLECAST_CCRYPTO_H
#define TABLECAST_CCRYPTO_H

#include <limits.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
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

// AES-256-GCM (NIST SP 800-38D): `key` has 32 bytes, `nonce` 12, `tag` 16, which sealing writes and opening compares; `output`
// is as long as the input. `context` is not encrypted, and has to be the same. 0 where libcrypto could not do it, or what is
// opened was not sealed so.
static inline int ccrypto_aes_gcm(
  int is_sealing, const unsigned char *key, const unsigned char *nonce, const unsigned char *context, int context_count,
  const unsigned char *input, int count, unsigned char *output, unsigned char *tag
) {
  unsigned char end[16];
  int written = 0;
  EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
  int is_done = cipher != NULL && EVP_CipherInit_ex(cipher, EVP_aes_256_gcm(), NULL, key, nonce, is_sealing) == 1 &&
                EVP_CipherUpdate(cipher, NULL, &written, context, context_count) == 1 &&
                EVP_CipherUpdate(cipher, output, &written, input, count) == 1 &&
                (is_sealing || EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_SET_TAG, 16, tag) == 1) &&
                EVP_CipherFinal_ex(cipher, end, &written) == 1 &&
                (!is_sealing || EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_GET_TAG, 16, tag) == 1);
  EVP_CIPHER_CTX_free(cipher);
  ERR_clear_error();
  return is_done;
}

// A public key of one kind ("RSA", "EC"), made of parameters; NULL where it is none.
static inline EVP_PKEY *ccrypto_key(const char *kind, OSSL_PARAM *parameters) {
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, kind, NULL);
  if (context != NULL && parameters != NULL && EVP_PKEY_fromdata_init(context) == 1 &&
      EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) {
    key = NULL;
  }
  EVP_PKEY_CTX_free(context);
  if (key != NULL) {
    EVP_PKEY_CTX *check = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    if (check == NULL || EVP_PKEY_public_check(check) != 1) {
      EVP_PKEY_free(key);
      key = NULL;
    }
    EVP_PKEY_CTX_free(check);
  }
  ERR_clear_error();
  return key;
}

// Modulus and exponent, big-endian. NULL where they are no public key.
static inline EVP_PKEY *ccrypto_rsa_key(
  const unsigned char *modulus, int modulus_count, const unsigned char *exponent, int exponent_count
) {
  BIGNUM *n = BN_bin2bn(modulus, modulus_count, NULL);
  BIGNUM *e = BN_bin2bn(exponent, exponent_count, NULL);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  OSSL_PARAM *parameters = NULL;
  EVP_PKEY *key = NULL;
  if (n != NULL && e != NULL && builder != NULL && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1 &&
      OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1) {
    parameters = OSSL_PARAM_BLD_to_param(builder);
    key = ccrypto_key("RSA", parameters);
  }
  OSSL_PARAM_free(parameters);
  OSSL_PARAM_BLD_free(builder);
  BN_free(e);
  BN_free(n);
  return key;
}

// A point of a curve, uncompressed (0x04, x, y). NULL where it is not on it.
static inline EVP_PKEY *ccrypto_ec_key(const char *curve, const unsigned char *point, size_t count) {
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  OSSL_PARAM *parameters = NULL;
  EVP_PKEY *key = NULL;
  if (builder != NULL && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, curve, 0) == 1 &&
      OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, count) == 1) {
    parameters = OSSL_PARAM_BLD_to_param(builder);
    key = ccrypto_key("EC", parameters);
  }
  OSSL_PARAM_free(parameters);
  OSSL_PARAM_BLD_free(builder);
  return key;
}

// NULL where it is none.
static inline EVP_PKEY *ccrypto_ed25519_key(const unsigned char *bytes, size_t count) {
  EVP_PKEY *key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, bytes, count);
  ERR_clear_error();
  return key;
}

static inline void ccrypto_free_key(EVP_PKEY *key) { EVP_PKEY_free(key); }

// 1 where the signature is the key's. `digest` is 256 or 384, 0 for Ed25519; `is_pss`: with a salt as long as the digest.
static inline int ccrypto_verify(
  EVP_PKEY *key, int digest, int is_pss, const unsigned char *message, size_t message_count,
  const unsigned char *signature, size_t signature_count
) {
  const EVP_MD *kind = digest == 256 ? EVP_sha256() : digest == 384 ? EVP_sha384() : NULL;
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  EVP_PKEY_CTX *terms = NULL;
  int is_valid = context != NULL && EVP_DigestVerifyInit(context, &terms, kind, NULL, key) == 1;
  if (is_valid && is_pss) {
    is_valid = EVP_PKEY_CTX_set_rsa_padding(terms, RSA_PKCS1_PSS_PADDING) == 1 &&
               EVP_PKEY_CTX_set_rsa_mgf1_md(terms, kind) == 1 &&
               EVP_PKEY_CTX_set_rsa_pss_saltlen(terms, RSA_PSS_SALTLEN_DIGEST) == 1;
  }
  is_valid = is_valid && EVP_DigestVerify(context, signature, signature_count, message, message_count) == 1;
  EVP_MD_CTX_free(context);
  ERR_clear_error();
  return is_valid;
}

// The same of ECDSA, whose `r` and `s` are `count` bytes each, big-endian.
static inline int ccrypto_verify_ecdsa(
  EVP_PKEY *key, int digest, const unsigned char *message, size_t message_count, const unsigned char *r,
  const unsigned char *s, int count
) {
  ECDSA_SIG *pair = ECDSA_SIG_new();
  BIGNUM *first = BN_bin2bn(r, count, NULL);
  BIGNUM *second = BN_bin2bn(s, count, NULL);
  int is_valid = 0;
  if (pair != NULL && first != NULL && second != NULL && ECDSA_SIG_set0(pair, first, second) == 1) {
    unsigned char *encoded = NULL;
    int length;
    first = second = NULL;
    length = i2d_ECDSA_SIG(pair, &encoded);
    if (length > 0) is_valid = ccrypto_verify(key, digest, 0, message, message_count, encoded, (size_t)length);
    OPENSSL_free(encoded);
  }
  BN_free(second);
  BN_free(first);
  ECDSA_SIG_free(pair);
  ERR_clear_error();
  return is_valid;
}

#endif
