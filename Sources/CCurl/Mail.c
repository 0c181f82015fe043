#include "CCurlMail.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

#include "Transfer.h"

/// A message on its way out.
typedef struct {
    const saunter_mail_request *request;
    saunter_mail_report *report;
    size_t position;
    int64_t deadline_ms;
    /// Whether the last command named the recipient.
    int is_at_recipient;
} transfer;

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/// libcurl takes the next part of the message. Nothing left means: it closes the message now.
static size_t give_message(char *buffer, size_t size, size_t count, void *context) {
    transfer *mail = context;
    size_t rest = mail->request->message_length - mail->position;
    size_t part = size * count < rest ? size * count : rest;
    memcpy(buffer, mail->request->message + mail->position, part);
    mail->position += part;
    if (mail->position == mail->request->message_length) {
        mail->report->message_sent = 1;
    }
    return part;
}

/// libcurl reports a line of the server's replies; the last one is kept. 221 answers the QUIT of every
/// session, good or bad, and would hide the reply that matters.
static size_t take_reply(char *line, size_t size, size_t count, void *context) {
    transfer *mail = context;
    size_t length = size * count;
    if (length < 3 || !isdigit((unsigned char)line[0]) || !isdigit((unsigned char)line[1])
        || !isdigit((unsigned char)line[2])) {
        return length;
    }
    long code = (line[0] - '0') * 100 + (line[1] - '0') * 10 + (line[2] - '0');
    if (code == 221) {
        return length;
    }
    mail->report->reply_code = code;
    mail->report->is_about_mail = mail->is_at_recipient || mail->report->message_sent;
    size_t kept = length < sizeof mail->report->reply - 1 ? length : sizeof mail->report->reply - 1;
    memcpy(mail->report->reply, line, kept);
    while (kept > 0 && (mail->report->reply[kept - 1] == '\r' || mail->report->reply[kept - 1] == '\n')) {
        kept--;
    }
    mail->report->reply[kept] = 0;
    return length;
}

/// libcurl shows every command that it sends, and much more. A reply's code alone does not say what was asked: 550 may mean the sender as well as
/// the recipient. Nothing is kept, for passwords pass here too.
static int take_command(CURL *curl, curl_infotype type, char *bytes, size_t length, void *context) {
    (void)curl;
    transfer *mail = context;
    // QUIT follows whatever went wrong, and its answer must not hide what that was about.
    if (type == CURLINFO_HEADER_OUT && length >= 4 && memcmp(bytes, "QUIT", 4) != 0) {
        mail->is_at_recipient = memcmp(bytes, "RCPT", 4) == 0;
    }
    return 0;
}

static size_t drop(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    (void)context;
    return size * count;
}

/// libcurl asks often whether to end the transfer. Its own time-out does not cover the QUIT, for whose
/// answer it would wait two minutes when a server has gone silent.
static int shall_end(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
    (void)a, (void)b, (void)c, (void)d;
    const transfer *mail = context;
    return saunter_stop_is_set(mail->request->stop) || now_ms() > mail->deadline_ms;
}

/// Sets every option; the first that libcurl refuses ends it, for a mail without TLS is worse than none.
static CURLcode configure(CURL *curl, transfer *mail, struct curl_slist *recipients) {
    const saunter_mail_request *request = mail->request;
    long tls = request->tls == SAUNTER_MAIL_TLS_REQUIRED ? CURLUSESSL_ALL
             : request->tls == SAUNTER_MAIL_TLS_NEVER    ? CURLUSESSL_NONE
                                                         : CURLUSESSL_TRY;
    CURLcode code = saunter_curl_configure(curl, "smtp,smtps", request->url, request->ca_file, mail->report->error_text,
                                           request->connect_timeout_ms, request->total_timeout_ms);
    SET(CURLOPT_USE_SSL, tls);
    if (request->user) {
        SET(CURLOPT_USERNAME, request->user);
        SET(CURLOPT_PASSWORD, request->password);
    }
    SET(CURLOPT_MAIL_FROM, request->sender);
    SET(CURLOPT_MAIL_RCPT, recipients);
    SET(CURLOPT_UPLOAD, 1L);
    SET(CURLOPT_READFUNCTION, give_message);
    SET(CURLOPT_READDATA, mail);
    SET(CURLOPT_INFILESIZE_LARGE, (curl_off_t)request->message_length);
    SET(CURLOPT_WRITEFUNCTION, drop);
    SET(CURLOPT_HEADERFUNCTION, take_reply);
    SET(CURLOPT_HEADERDATA, mail);
    SET(CURLOPT_DEBUGFUNCTION, take_command);
    SET(CURLOPT_DEBUGDATA, mail);
    SET(CURLOPT_VERBOSE, 1L);
    SET(CURLOPT_XFERINFOFUNCTION, shall_end);
    SET(CURLOPT_XFERINFODATA, mail);
    SET(CURLOPT_NOPROGRESS, 0L);
    return code;
}

void saunter_mail_send(const saunter_mail_request *request, saunter_mail_report *report) {
    saunter_curl_initialise();

    memset(report, 0, sizeof *report);
    transfer mail = {.request = request, .report = report, .position = 0};
    mail.deadline_ms = now_ms() + request->total_timeout_ms + 500;
    CURL *curl = curl_easy_init();
    struct curl_slist *recipients = curl_slist_append(NULL, request->recipient);
    CURLcode code = curl && recipients ? configure(curl, &mail, recipients) : CURLE_OUT_OF_MEMORY;
    if (!code) {
        code = curl_easy_perform(curl);
    }
    report->error = (int)code;
    report->is_certificate_fault = saunter_curl_describe((int)code, report->error_text, sizeof report->error_text);
    report->is_tls_missing = code == CURLE_USE_SSL_FAILED;
    report->is_login_refused = code == CURLE_LOGIN_DENIED;
    curl_slist_free_all(recipients);
    curl_easy_cleanup(curl);
}
