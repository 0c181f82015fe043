// One POST by HTTPS through libcurl, to an address that somebody else named.
//
// libcurl sets its options by a function with variable arguments, which Swift cannot call; and the address that a name stands for is known only
// to the callback that opens the socket. So one call here does one POST, asks about the very address that is then connected to, and reports what
// was seen on the way. No redirect is followed, no proxy asked, and the reply is read up to a bound and thrown away.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "CCurlStop.h"

/// What to send and how. Strings end with NUL and live during the call; NULL where optional.
typedef struct {
    /// `https://…`
    const char *url;
    /// Header lines, `Name: value`.
    const char *const *headers;
    size_t header_count;
    const uint8_t *body;
    size_t body_length;
    /// Optional: the certificates to trust, in place of the system's.
    const char *ca_file;
    long connect_timeout_ms;
    long total_timeout_ms;
    /// So much of a reply is read at most, its head and its body each.
    size_t reply_bound;
    /// Asked about each address before a socket is opened: 4 or 16 bytes in network order. 0 refuses it.
    int (*judge)(const uint8_t *address, size_t length, void *context);
    void *context;
    /// Optional.
    const saunter_stop *stop;
} saunter_post_request;

/// What happened.
typedef struct {
    /// 0 when a whole reply came, else libcurl's error number.
    int error;
    /// libcurl's words for it.
    char error_text[256];
    /// The reply's status, 0 when there was none.
    long status;
    /// Seconds that the reply asks to wait, 0 when it does not.
    long retry_after;
    /// Whether the connection stood and the request may have been taken.
    int may_have_been_sent;
    /// Whether an address was refused by the judge.
    int is_address_refused;
    int is_certificate_fault;
} saunter_post_report;

/// Does one POST and waits for the end of it. Call it where waiting is allowed.
void saunter_post_send(const saunter_post_request *request, saunter_post_report *report);
