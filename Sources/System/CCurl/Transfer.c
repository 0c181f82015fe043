#include "Transfer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct saunter_cancellation {
    atomic_int is_set;
};

saunter_cancellation *saunter_cancellation_create(void) {
    return calloc(1, sizeof(saunter_cancellation));
}

void saunter_cancellation_set(saunter_cancellation *cancellation) {
    atomic_store(&cancellation->is_set, 1);
}

void saunter_cancellation_free(saunter_cancellation *cancellation) {
    free(cancellation);
}

int saunter_cancellation_is_set(const saunter_cancellation *cancellation) {
    return cancellation && atomic_load(&cancellation->is_set);
}

static void initialise(void) {
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

void saunter_curl_initialise(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialise);
}

CURLcode saunter_curl_configure(CURL *curl, const char *protocols, const char *url, const char *ca_file, char *error_text,
                                long connect_timeout_ms, long total_timeout_ms) {
    CURLcode code = CURLE_OK;
    SET(CURLOPT_PROTOCOLS_STR, protocols);
    SET(CURLOPT_URL, url);
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_ERRORBUFFER, error_text);
    SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(CURLOPT_SSL_VERIFYPEER, 1L);
    SET(CURLOPT_SSL_VERIFYHOST, 2L);
    if (ca_file) {
        SET(CURLOPT_CAINFO, ca_file);
        SET(CURLOPT_CAPATH, NULL);
    }
    SET(CURLOPT_CONNECTTIMEOUT_MS, connect_timeout_ms);
    SET(CURLOPT_TIMEOUT_MS, total_timeout_ms);
    SET(CURLOPT_FRESH_CONNECT, 1L);
    SET(CURLOPT_FORBID_REUSE, 1L);
    return code;
}

void saunter_curl_describe(CURLcode code, char *text, size_t size) {
    if (code && !text[0]) {
        strncpy(text, curl_easy_strerror(code), size - 1);
    }
}

int saunter_curl_is_certificate_fault(CURLcode code) {
    return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE;
}
