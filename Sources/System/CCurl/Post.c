#include "CCurlPost.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "Transfer.h"

/// The state of one POST.
typedef struct {
    const saunter_post_request *request;
    saunter_post_report *report;
    size_t head_read;
    size_t body_read;
} transfer;

/// Socket callback: libcurl connects this socket to this address only.
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    transfer *post = context;
    const saunter_post_request *request = post->request;
    int is_allowed = 0;
    if (purpose == CURLSOCKTYPE_IPCXN && address->family == AF_INET) {
        const struct sockaddr_in *four = (const struct sockaddr_in *)(const void *)&address->addr;
        is_allowed = request->is_address_allowed((const uint8_t *)&four->sin_addr, 4, request->context);
    } else if (purpose == CURLSOCKTYPE_IPCXN && address->family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)&address->addr;
        is_allowed = request->is_address_allowed((const uint8_t *)&six->sin6_addr, 16, request->context);
    }
    if (!is_allowed) {
        post->report->is_address_refused = 1;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/// Counts received bytes, which are discarded. Above the limit the result is 0, so that libcurl ends the transfer.
static size_t count_bytes(size_t *read, size_t limit, size_t length) {
    *read += length;
    return *read <= limit ? length : 0;
}

static size_t discard_head(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    transfer *post = context;
    return count_bytes(&post->head_read, post->request->reply_limit, size * count);
}

static size_t discard_body(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    transfer *post = context;
    return count_bytes(&post->body_read, post->request->reply_limit, size * count);
}

static int should_abort(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
    (void)a, (void)b, (void)c, (void)d;
    const transfer *post = context;
    return saunter_cancellation_is_set(post->request->cancellation);
}

/// Sets all options. It stops at the first option that libcurl rejects, because a POST requires all of them.
static CURLcode configure(CURL *curl, transfer *post, struct curl_slist *headers) {
    const saunter_post_request *request = post->request;
    CURLcode code = saunter_curl_configure(curl, "https", request->url, request->ca_file, post->report->error_text,
                                           request->connect_timeout_ms, request->total_timeout_ms);
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
    SET(CURLOPT_OPENSOCKETDATA, post);
    SET(CURLOPT_POST, 1L);
    SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_length);
    SET(CURLOPT_POSTFIELDS, (const char *)request->body);
    SET(CURLOPT_HTTPHEADER, headers);
    SET(CURLOPT_USERAGENT, "saunter");
    SET(CURLOPT_HEADERFUNCTION, discard_head);
    SET(CURLOPT_HEADERDATA, post);
    SET(CURLOPT_WRITEFUNCTION, discard_body);
    SET(CURLOPT_WRITEDATA, post);
    SET(CURLOPT_XFERINFOFUNCTION, should_abort);
    SET(CURLOPT_XFERINFODATA, post);
    SET(CURLOPT_NOPROGRESS, 0L);
    return code;
}

/// Reads the result of the transfer.
static void read_result(CURL *curl, saunter_post_report *report) {
    long status = 0;
    curl_off_t pretransfer_time = 0;
    curl_off_t retry_after = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(curl, CURLINFO_PRETRANSFER_TIME_T, &pretransfer_time);
    curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &retry_after);
    // A reply with status 1xx is not final.
    report->status = status >= 200 && status <= 599 ? status : 0;
    report->may_have_been_sent = pretransfer_time > 0;
    report->retry_after = retry_after < 0 ? 0 : retry_after > 86400 ? 86400 : (long)retry_after;
}

void saunter_post_send(const saunter_post_request *request, saunter_post_report *report) {
    saunter_curl_initialise();

    memset(report, 0, sizeof *report);
    transfer post = {.request = request, .report = report};
    CURL *curl = curl_easy_init();
    CURLcode code = curl ? CURLE_OK : CURLE_OUT_OF_MEMORY;
    struct curl_slist *headers = NULL;
    for (size_t index = 0; !code && index < request->header_count; index++) {
        struct curl_slist *longer = curl_slist_append(headers, request->headers[index]);
        if (longer) {
            headers = longer;
        } else {
            code = CURLE_OUT_OF_MEMORY;
        }
    }
    if (!code) {
        code = configure(curl, &post, headers);
    }
    if (!code) {
        code = curl_easy_perform(curl);
        read_result(curl, report);
    }
    report->error = (int)code;
    report->is_certificate_fault = saunter_curl_is_certificate_fault(code);
    saunter_curl_describe(code, report->error_text, sizeof report->error_text);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
}
