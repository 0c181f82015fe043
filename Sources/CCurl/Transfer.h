// What mails and calls share.
#pragma once

#include <stddef.h>

#include "CCurlStop.h"

/// libcurl asks to be initialised once, before any use.
void saunter_curl_initialise(void);

/// Whether somebody has asked for the end; never where there is no switch.
int saunter_stop_is_set(const saunter_stop *stop);

/// libcurl's words for its error, where it has left none, and whether it is the certificate that is at fault.
int saunter_curl_describe(int code, char *text, size_t size);
