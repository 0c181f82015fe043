#include "CCurlPost.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "Transfer.h"

/// A POST on its way.
typedef struct {
    const saunter_post_request *request;
    saunter_post_report *report;
    size_t head_read;
    size_t body_read;
} transfer;

/// libcurl is about to connect to this address, and to no other by this socket.
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    transfer *post = context;
    const saunter_post_request *request = post->request;
    int is_allowed = 0;
    if (purpose == CURLSOCKTYPE_IPCXN && address->family == AF_INET) {
        const struct sockaddr_in *four = (const struct sockaddr_in *)(const void *)&address->addr;
        is_allowed = request->judge((const uint8_t *)&four->sin_addr, 4, request->context);
    } else if (purpose == CURLSOCKTYPE_IPCXN && address->family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)&address->addr;
        is_allowed = request->judge((const uint8_t *)&six->sin6_addr, 16, request->context);
    }
    if (!is_allowed) {
        post->report->is_address_refused = 1;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/// Read and thrown away, up to the bound; giving back less than came ends the transfer.
static size_t take(size_t *read, size_t bound, size_t length) {
    *read += length;
    return *read <= bound ? length : 0;
}

static size_t take_head(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    transfer *post = context;
    return take(&post->head_read, post->request->reply_bound, size * count);
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    transfer *post = context;
    return take(&post->body_read, post->request->reply_bound, size * count);
}

static int shall_end(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
    (void)a, (void)b, (void)c, (void)d;
    const transfer *post = context;
    return saunter_stop_is_set(post->request->stop);
}

/// Sets every option; the first that libcurl refuses ends it, for a POST without one of them must not go out.
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
    SET(CURLOPT_HEADERFUNCTION, take_head);
    SET(CURLOPT_HEADERDATA, post);
    SET(CURLOPT_WRITEFUNCTION, take_body);
    SET(CURLOPT_WRITEDATA, post);
    SET(CURLOPT_XFERINFOFUNCTION, shall_end);
    SET(CURLOPT_XFERINFODATA, post);
    SET(CURLOPT_NOPROGRESS, 0L);
    return code;
}

/// Reads what the transfer came to.
static void look(CURL *curl, saunter_post_report *report) {
    long status = 0;
    curl_off_t begun = 0;
    curl_off_t wait = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(curl, CURLINFO_PRETRANSFER_TIME_T, &begun);
    curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &wait);
    // An interim reply promises nothing.
    report->status = status >= 200 && status <= 599 ? status : 0;
    report->may_have_been_sent = begun > 0;
    report->retry_after = wait < 0 ? 0 : wait > 86400 ? 86400 : (long)wait;
}

void saunter_post_send(const saunter_post_request *request, saunter_post_report *report) {
    saunter_curl_initialise();

    memset(report, 0, sizeof *report);
    transfer post = {.request = request, .report = report};
    CURL *curl = curl_easy_init();
    CURLcode code = curl ? CURLE_OK : CURLE_OUT_OF_MEMORY;
    struct curl_slist *headers = NULL;
    for (size_t place = 0; !code && place < request->header_count; place++) {
        struct curl_slist *longer = curl_slist_append(headers, request->headers[place]);
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
        look(curl, report);
    }
    report->error = (int)code;
    report->is_certificate_fault = saunter_curl_describe((int)code, report->error_text, sizeof report->error_text);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
}
