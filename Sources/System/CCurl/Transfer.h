// Functions that Mail.c and Post.c share.
#pragma once

#include <curl/curl.h>
#include <stddef.h>

#include "CCurlCancellation.h"

/// Sets an option. If libcurl rejected an earlier option, `code` contains the error, and no further option is set.
#define SET(option, value) \
    if (!code) code = curl_easy_setopt(curl, option, value)

/// Initialises libcurl once. It must be called before any use of libcurl.
void saunter_curl_initialise(void);

/// Sets the options of every transfer: no proxy, no passwords from files, TLS 1.2 or newer with a verified certificate,
/// timeouts, and a separate connection. The strings must be valid as long as the handle.
/// - Parameters:
///   - protocols: the allowed protocols of the URL, separated by commas.
///   - ca_file: a file of trusted certificates that replaces the system's; NULL for the system's certificates.
///   - error_text: a buffer of CURL_ERROR_SIZE bytes for libcurl's error message.
CURLcode saunter_curl_configure(CURL *curl, const char *protocols, const char *url, const char *ca_file, char *error_text,
                                long connect_timeout_ms, long total_timeout_ms);

/// Whether another thread has requested the cancellation. 0 if `cancellation` is NULL.
int saunter_cancellation_is_set(const saunter_cancellation *cancellation);

/// Writes libcurl's general message for the error to `text`, if `text` is empty.
void saunter_curl_describe(CURLcode code, char *text, size_t size);

/// Whether a certificate is the cause of the error.
int saunter_curl_is_certificate_fault(CURLcode code);
