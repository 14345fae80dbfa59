// The face of libcurl for Swift, which can't call functions with variable arguments: one function for each
// type that an option or an info takes. No logic beyond the call.
#ifndef TABLECAST_CCURL_H
#define TABLECAST_CCURL_H

#include <curl/curl.h>
#include <sys/epoll.h>

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return (curl_easy_setopt)(easy, option, value);
}

// CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION
static inline CURLcode ccurl_set_sink(CURL *easy, CURLoption option, curl_write_callback value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_set_opensocket(CURL *easy, curl_opensocket_callback value) {
  return (curl_easy_setopt)(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline CURLcode ccurl_set_prereq(CURL *easy, curl_prereq_callback value) {
  return (curl_easy_setopt)(easy, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
  return (curl_easy_getinfo)(easy, info, value);
}

static inline CURLcode ccurl_get_size(CURL *easy, CURLINFO info, curl_off_t *value) {
  return (curl_easy_getinfo)(easy, info, value);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return (curl_multi_setopt)(multi, option, value);
}

static inline CURLMcode ccurl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
  return (curl_multi_setopt)(multi, option, value);
}

static inline CURLMcode ccurl_multi_set_socket(CURLM *multi, curl_socket_callback value) {
  return (curl_multi_setopt)(multi, CURLMOPT_SOCKETFUNCTION, value);
}

static inline CURLMcode ccurl_multi_set_timer(CURLM *multi, curl_multi_timer_callback value) {
  return (curl_multi_setopt)(multi, CURLMOPT_TIMERFUNCTION, value);
}

// `data` of CURLMsg is a union, which Swift would import without its members' meaning.
static inline CURLcode ccurl_message_result(const CURLMsg *message) { return message->data.result; }

#endif
