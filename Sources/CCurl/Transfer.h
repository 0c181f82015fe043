// What mails and calls share.
#pragma once

#include <curl/curl.h>
#include <stddef.h>

#include "CCurlStop.h"

/// Sets an option, unless one before was refused: `code` then holds why, and no other is set.
#define SET(option, value) \
    if (!code) code = curl_easy_setopt(curl, option, value)

/// libcurl asks to be initialised once, before any use.
void saunter_curl_initialise(void);

/// Sets what every transfer is held to: no proxy, no passwords from files, TLS of 1.2 or newer with a checked certificate, an end in time, and a connection of
/// its own. Strings live as long as the handle.
/// - Parameters:
///   - protocols: those that the URL may have, with commas between.
///   - ca_file: the certificates to trust, in place of the system's; NULL for these.
///   - error_text: takes libcurl's words for its error; CURL_ERROR_SIZE bytes.
CURLcode saunter_curl_configure(CURL *curl, const char *protocols, const char *url, const char *ca_file, char *error_text,
                                long connect_timeout_ms, long total_timeout_ms);

/// Whether somebody has asked for the end; never where there is no switch.
int saunter_stop_is_set(const saunter_stop *stop);

/// libcurl's words for its error, where it has left none, and whether it is the certificate that is at fault.
int saunter_curl_describe(int code, char *text, size_t size);
