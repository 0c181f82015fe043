// Sends one POST by HTTPS with libcurl, to a URL that a client supplied.
//
// This is written in C for two reasons. libcurl sets options with a variadic function, which Swift cannot call. And
// only the callback that opens the socket knows the resolved address of a host name. One call sends one POST, checks
// the address to which it then connects, and returns a report. It follows no redirect and uses no proxy. The reply is
// read up to a limit and discarded.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "CCurlCancellation.h"

/// A POST and how to send it. Strings end with NUL and must be valid during the call. Optional fields can be NULL.
typedef struct {
    /// `https://…`
    const char *url;
    /// Header lines, `Name: value`.
    const char *const *headers;
    size_t header_count;
    const uint8_t *body;
    size_t body_length;
    /// Optional: a file of trusted certificates that replaces the system's.
    const char *ca_file;
    long connect_timeout_ms;
    long total_timeout_ms;
    /// The maximum number of bytes of the reply's head, and of its body.
    size_t reply_limit;
    /// Called for each address before a socket is opened, with 4 or 16 bytes in network order. 0 rejects the address.
    int (*is_address_allowed)(const uint8_t *address, size_t length, void *context);
    void *context;
    /// Optional.
    const saunter_cancellation *cancellation;
} saunter_post_request;

/// The outcome of a POST.
typedef struct {
    /// 0 if the complete reply was received, otherwise libcurl's error number.
    int error;
    /// libcurl's error message.
    char error_text[256];
    /// The status of the reply, 0 if there was none.
    long status;
    /// The value of `Retry-After` in seconds, at most 86,400. 0 if the reply has none.
    long retry_after;
    /// Whether a connection was established, so that the server may have processed the request.
    int may_have_been_sent;
    /// Whether `is_address_allowed` rejected an address.
    int is_address_refused;
    int is_certificate_fault;
} saunter_post_report;

/// Sends one POST. It blocks the thread until the transfer ends.
void saunter_post_send(const saunter_post_request *request, saunter_post_report *report);
