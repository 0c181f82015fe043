// One mail by SMTP through libcurl.
//
// libcurl sets its options by a function with variable arguments, which Swift cannot call; and what became
// of a mail is known only to callbacks. So one call here does one mail and reports what was seen on the way.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "CCurlStop.h"

/// How the connection is secured.
typedef enum {
    /// STARTTLS when the server offers it.
    SAUNTER_MAIL_TLS_OFFERED = 0,
    /// STARTTLS or nothing is sent.
    SAUNTER_MAIL_TLS_REQUIRED = 1,
    /// No STARTTLS.
    SAUNTER_MAIL_TLS_NEVER = 2,
} saunter_mail_tls;

/// What to send and how. Strings end with NUL and live during the call; NULL where optional.
typedef struct {
    /// `smtp://host:port/name` or `smtps://…`, without credentials.
    const char *url;
    /// Optional, both or neither.
    const char *user;
    const char *password;
    /// Optional: the certificates to trust, in place of the system's.
    const char *ca_file;
    saunter_mail_tls tls;
    /// Addresses of the envelope, without angle brackets.
    const char *sender;
    const char *recipient;
    /// The whole message with CRLF line ends.
    const uint8_t *message;
    size_t message_length;
    long connect_timeout_ms;
    long total_timeout_ms;
    /// Optional.
    const saunter_stop *stop;
} saunter_mail_request;

/// What happened.
typedef struct {
    /// 0 when the server accepted the mail, else libcurl's error number.
    int error;
    /// libcurl's words for it.
    char error_text[256];
    /// The last reply's code, 0 when there was none, and the last line of it (cut, without line end).
    long reply_code;
    char reply[512];
    /// Whether the whole message was handed to the connection: from here on the server may have accepted it.
    int message_sent;
    /// Whether the last reply is about this recipient or this message: the answer to RCPT, or to the whole message. Any other tells of the server, or
    /// of what it lets this sender do.
    int is_about_mail;
    /// Whether the failure was one of these kinds; at most one is set.
    int is_certificate_fault;
    int is_tls_missing;
    int is_login_refused;
} saunter_mail_report;

/// Sends one mail and waits for the end of it. Call it where waiting is allowed.
void saunter_mail_send(const saunter_mail_request *request, saunter_mail_report *report);
