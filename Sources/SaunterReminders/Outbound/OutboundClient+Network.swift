import CCurl
import Dispatch
import SaunterCore

extension OutboundClient {
    /// Sends requests with libcurl: TLS with a verified certificate, no redirect, no proxy. The policy checks the
    /// address at the moment of connecting, so a DNS name that changes its address after an earlier check (DNS
    /// rebinding) is checked again.
    /// - Parameters:
    ///   - caFile: the path of a file with trusted certificates, which replace the system's.
    ///   - timeoutSeconds: the time limit of one request, including name resolution.
    package static func network(
        _ policy: OutboundPolicy, caFile: String? = nil,
        timeoutSeconds: Int = OutboundAttempt.defaultTimeoutSeconds
    ) -> OutboundClient {
        OutboundClient { request in
            guard let cancellation = TransferCancellation() else { return .notSent("out of memory") }
            let attempt = OutboundAttempt(
                request: request, addressCheck: OutboundAddressCheck(policy: policy, host: request.url.host),
                caFile: caFile, timeoutSeconds: timeoutSeconds)
            return await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    queue.async { continuation.resume(returning: attempt.run(cancellation)) }
                }
            } onCancel: {
                cancellation.cancel()
            }
        }
    }

    private static let queue = DispatchQueue(label: "saunter.outbound", attributes: .concurrent)
}

/// The policy and the host of the request, as context for the callback that checks addresses.
final class OutboundAddressCheck: Sendable {
    let policy: OutboundPolicy
    let host: String

    init(policy: OutboundPolicy, host: String) {
        self.policy = policy
        self.host = host
    }
}

/// One attempt to send one request. It blocks its thread.
package struct OutboundAttempt: Sendable {
    /// The time limit of an attempt in seconds.
    package static let defaultTimeoutSeconds = 10
    /// Only the status and `Retry-After` of a response are used. At most this many bytes are read of its header, and
    /// as many of its body.
    static let maximumResponseBytes = 16_384

    let request: OutboundRequest
    let addressCheck: OutboundAddressCheck
    let caFile: String?
    let timeoutSeconds: Int

    func run(_ cancellation: TransferCancellation) -> OutboundOutcome {
        var post = saunter_post_request()
        var report = saunter_post_report()
        post.connect_timeout_ms = timeoutSeconds * 1000
        post.total_timeout_ms = timeoutSeconds * 1000
        post.reply_limit = Self.maximumResponseBytes
        post.cancellation = cancellation.pointer
        post.is_address_allowed = { address, length, context in
            guard let address, let context else { return 0 }
            let check = Unmanaged<OutboundAddressCheck>.fromOpaque(context).takeUnretainedValue()
            let bytes = Array(UnsafeBufferPointer(start: address, count: length))
            return IPAddress(bytes: bytes).map { check.policy.allows($0, for: check.host) } == true ? 1 : 0
        }
        // With a long body, libcurl sends `Expect: 100-continue` and waits for a reply. An empty value prevents that.
        let headerLines = request.headers.map { "\($0.name): \($0.value)" } + ["Expect:"]
        withExtendedLifetime(addressCheck) {
            post.context = Unmanaged.passUnretained(addressCheck).toOpaque()
            withCStrings([request.url.text, caFile] + headerLines) { strings in
                strings.dropFirst(2).withUnsafeBufferPointer { headers in
                    request.body.withUnsafeBufferPointer { body in
                        post.url = strings[0]
                        post.ca_file = strings[1]
                        post.headers = headers.baseAddress
                        post.header_count = headers.count
                        post.body = body.baseAddress
                        post.body_length = body.count
                        saunter_post_send(&post, &report)
                    }
                }
            }
        }
        return outcome(of: report)
    }

    /// A status decides the outcome, even if the transfer failed afterwards.
    private func outcome(of report: saunter_post_report) -> OutboundOutcome {
        if report.status != 0 {
            return .status(report.status, retryAfter: report.retry_after > 0 ? report.retry_after : nil)
        }
        let errorText = withUnsafeBytes(of: report.error_text) { bytes in
            String(
                decoding: bytes.prefix { $0 != 0 }.map {
                    (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?")
                },
                as: UTF8.self)
        }
        if report.may_have_been_sent != 0 { return .lost(errorText) }
        return report.is_address_refused != 0 ? .addressRefused : .notSent(errorText)
    }
}
