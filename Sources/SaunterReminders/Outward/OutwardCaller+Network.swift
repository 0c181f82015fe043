import CCurl
import Dispatch
import SaunterCore

extension OutwardCaller {
    /// Calls by libcurl: TLS with a checked certificate, no redirect, no proxy, and only addresses that the rule allows, judged at the moment of
    /// connecting, so that a name which changes its address in between gains nothing.
    /// - Parameters:
    ///   - authorities: a file of certificates to trust in place of the system's.
    ///   - seconds: for the whole of it, finding the name included.
    package static func network(
        _ rule: OutwardRule, authorities: String? = nil, seconds: Int = OutwardAttempt.usualSeconds
    ) -> OutwardCaller {
        OutwardCaller { post in
            guard let stop = TransferStop() else { return .notSent("out of memory") }
            let attempt = OutwardAttempt(
                post: post, judge: OutwardJudge(rule: rule, host: post.url.host), authorities: authorities,
                seconds: seconds)
            return await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    queue.async { continuation.resume(returning: attempt.run(stop)) }
                }
            } onCancel: {
                stop.set()
            }
        }
    }

    private static let queue = DispatchQueue(label: "saunter.outward", attributes: .concurrent)
}

/// The rule and the host that is being called, for the callback that is asked about addresses.
final class OutwardJudge: Sendable {
    let rule: OutwardRule
    let host: String

    init(rule: OutwardRule, host: String) {
        self.rule = rule
        self.host = host
    }
}

/// One call, on a thread that may wait.
package struct OutwardAttempt: Sendable {
    package static let usualSeconds = 10
    /// Of what comes back nothing is wanted but the status.
    static let replyBound = 16_384

    let post: OutwardPost
    let judge: OutwardJudge
    let authorities: String?
    let seconds: Int

    func run(_ stop: TransferStop) -> OutwardReply {
        var request = saunter_post_request()
        var report = saunter_post_report()
        request.connect_timeout_ms = seconds * 1000
        request.total_timeout_ms = seconds * 1000
        request.reply_bound = Self.replyBound
        request.stop = stop.pointer
        request.judge = { address, length, context in
            guard let address, let context else { return 0 }
            let judge = Unmanaged<OutwardJudge>.fromOpaque(context).takeUnretainedValue()
            let bytes = Array(UnsafeBufferPointer(start: address, count: length))
            return IPAddress(bytes: bytes).map { judge.rule.allows($0, for: judge.host) } == true ? 1 : 0
        }
        let lines = post.headers.map { "\($0.name): \($0.value)" } + ["Expect:"]
        withExtendedLifetime(judge) {
            request.context = Unmanaged.passUnretained(judge).toOpaque()
            withCStrings([post.url.text, authorities] + lines) { strings in
                strings.dropFirst(2).withUnsafeBufferPointer { headers in
                    post.body.withUnsafeBufferPointer { body in
                        request.url = strings[0]
                        request.ca_file = strings[1]
                        request.headers = headers.baseAddress
                        request.header_count = headers.count
                        request.body = body.baseAddress
                        request.body_length = body.count
                        saunter_post_send(&request, &report)
                    }
                }
            }
        }
        return reply(report)
    }

    /// A status settles it, whatever came after.
    private func reply(_ report: saunter_post_report) -> OutwardReply {
        if report.status != 0 {
            return .status(report.status, retryAfter: report.retry_after > 0 ? report.retry_after : nil)
        }
        let words = withUnsafeBytes(of: report.error_text) { bytes in
            String(
                decoding: bytes.prefix { $0 != 0 }.map {
                    (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?")
                },
                as: UTF8.self)
        }
        if report.may_have_been_sent != 0 { return .lost(words) }
        return report.is_address_refused != 0 ? .addressRefused : .notSent(words)
    }
}
