#include "Transfer.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct saunter_stop {
    atomic_int is_set;
};

saunter_stop *saunter_stop_make(void) {
    return calloc(1, sizeof(saunter_stop));
}

void saunter_stop_set(saunter_stop *stop) {
    atomic_store(&stop->is_set, 1);
}

void saunter_stop_free(saunter_stop *stop) {
    free(stop);
}

int saunter_stop_is_set(const saunter_stop *stop) {
    return stop && atomic_load(&stop->is_set);
}

static void initialise(void) {
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

void saunter_curl_initialise(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialise);
}

int saunter_curl_describe(int code, char *text, size_t size) {
    if (code && !text[0]) {
        strncpy(text, curl_easy_strerror((CURLcode)code), size - 1);
    }
    return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE;
}
