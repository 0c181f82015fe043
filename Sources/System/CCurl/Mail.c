#include "CCurlMail.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

#include "Transfer.h"

/// The state of one transfer of a mail.
typedef struct {
    const saunter_mail_request *request;
    saunter_mail_report *report;
    size_t position;
    int64_t deadline_ms;
    /// Whether the last command was RCPT.
    int is_at_recipient;
} transfer;

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/// Read callback: copies the next part of the message to libcurl. The result 0 means that the message is complete.
static size_t read_message(char *buffer, size_t size, size_t count, void *context) {
    transfer *mail = context;
    size_t remaining = mail->request->message_length - mail->position;
    size_t part = size * count < remaining ? size * count : remaining;
    memcpy(buffer, mail->request->message + mail->position, part);
    mail->position += part;
    if (mail->position == mail->request->message_length) {
        mail->report->message_sent = 1;
    }
    return part;
}

/// Header callback: receives one line of the server's replies. The last line is stored. Replies with code 221 are
/// ignored, because they answer the QUIT of every session and would replace the reply that matters.
static size_t receive_reply_line(char *line, size_t size, size_t count, void *context) {
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

/// Debug callback: receives every command that libcurl sends, and other data. The command is needed because the code of
/// a reply is ambiguous: 550 can concern the sender or the recipient. No data is stored, because it can contain
/// passwords.
static int observe_command(CURL *curl, curl_infotype type, char *bytes, size_t length, void *context) {
    (void)curl;
    transfer *mail = context;
    // libcurl sends QUIT after every error. It must not replace the command that the error concerns.
    if (type == CURLINFO_HEADER_OUT && length >= 4 && memcmp(bytes, "QUIT", 4) != 0) {
        mail->is_at_recipient = memcmp(bytes, "RCPT", 4) == 0;
    }
    return 0;
}

static size_t discard(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    (void)context;
    return size * count;
}

/// Progress callback: libcurl calls it frequently, and ends the transfer if the result is not 0. The deadline is
/// checked here because libcurl's own timeout does not cover the QUIT. If a server does not answer the QUIT, libcurl
/// waits for two minutes.
static int should_abort(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
    (void)a, (void)b, (void)c, (void)d;
    const transfer *mail = context;
    return saunter_cancellation_is_set(mail->request->cancellation) || now_ms() > mail->deadline_ms;
}

/// Sets all options. It stops at the first option that libcurl rejects, because a mail must not be sent without TLS.
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
    SET(CURLOPT_READFUNCTION, read_message);
    SET(CURLOPT_READDATA, mail);
    SET(CURLOPT_INFILESIZE_LARGE, (curl_off_t)request->message_length);
    SET(CURLOPT_WRITEFUNCTION, discard);
    SET(CURLOPT_HEADERFUNCTION, receive_reply_line);
    SET(CURLOPT_HEADERDATA, mail);
    SET(CURLOPT_DEBUGFUNCTION, observe_command);
    SET(CURLOPT_DEBUGDATA, mail);
    SET(CURLOPT_VERBOSE, 1L);
    SET(CURLOPT_XFERINFOFUNCTION, should_abort);
    SET(CURLOPT_XFERINFODATA, mail);
    SET(CURLOPT_NOPROGRESS, 0L);
    return code;
}

void saunter_mail_send(const saunter_mail_request *request, saunter_mail_report *report) {
    saunter_curl_initialise();

    memset(report, 0, sizeof *report);
    transfer mail = {.request = request, .report = report, .position = 0};
    // 500 ms later than libcurl's own timeout, because libcurl reports that one with a better message.
    mail.deadline_ms = now_ms() + request->total_timeout_ms + 500;
    CURL *curl = curl_easy_init();
    struct curl_slist *recipients = curl_slist_append(NULL, request->recipient);
    CURLcode code = curl && recipients ? configure(curl, &mail, recipients) : CURLE_OUT_OF_MEMORY;
    if (!code) {
        code = curl_easy_perform(curl);
    }
    report->error = (int)code;
    report->is_certificate_fault = saunter_curl_is_certificate_fault(code);
    saunter_curl_describe(code, report->error_text, sizeof report->error_text);
    report->is_tls_missing = code == CURLE_USE_SSL_FAILED;
    report->is_login_refused = code == CURLE_LOGIN_DENIED;
    curl_slist_free_all(recipients);
    curl_easy_cleanup(curl);
}
