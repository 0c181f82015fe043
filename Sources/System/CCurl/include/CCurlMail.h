// Sends one mail by SMTP with libcurl.
//
// This is written in C for two reasons. libcurl sets options with a variadic function, which Swift cannot call. And
// only callbacks show the outcome of a mail. One call sends one mail and returns a report.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "CCurlCancellation.h"

/// How the connection is secured.
typedef enum {
    /// STARTTLS when the server offers it.
    SAUNTER_MAIL_TLS_OFFERED = 0,
    /// STARTTLS is required; otherwise nothing is sent.
    SAUNTER_MAIL_TLS_REQUIRED = 1,
    /// No STARTTLS.
    SAUNTER_MAIL_TLS_NEVER = 2,
} saunter_mail_tls;

/// A mail and how to send it. Strings end with NUL and must be valid during the call. Optional fields can be NULL.
typedef struct {
    /// `smtp://host:port/name` or `smtps://…`, without credentials.
    const char *url;
    /// Optional, both or neither.
    const char *user;
    const char *password;
    /// Optional: a file of trusted certificates that replaces the system's.
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
    const saunter_cancellation *cancellation;
} saunter_mail_request;

/// The outcome of sending a mail.
typedef struct {
    /// 0 if the server accepted the mail, otherwise libcurl's error number.
    int error;
    /// libcurl's error message.
    char error_text[256];
    /// The code of the last reply, 0 if there was none, and its last line (truncated, without line end).
    long reply_code;
    char reply[512];
    /// Whether the complete message was written to the connection. If so, the server may have accepted it.
    int message_sent;
    /// Whether the last reply answers RCPT or the complete message, so that it concerns this recipient or this message.
    /// Any other reply concerns the server or the sender.
    int is_about_mail;
    /// The kind of failure. At most one of these is set.
    int is_certificate_fault;
    int is_tls_missing;
    int is_login_refused;
} saunter_mail_report;

/// Sends one mail. It blocks the thread until the transfer ends.
void saunter_mail_send(const saunter_mail_request *request, saunter_mail_report *report);
