import Logging

/// A POST to an address that somebody outside named.
package struct OutwardPost: Sendable, Hashable {
    package var url: OutwardURL
    /// Printable ASCII, in this order.
    package var headers: [Header]
    package var body: [UInt8]

    package struct Header: Sendable, Hashable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package init(url: OutwardURL, headers: [Header], body: [UInt8]) {
        self.url = url
        self.headers = headers
        self.body = body
    }

    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// What became of it.
package enum OutwardReply: Sendable, Hashable {
    /// A reply came; `retryAfter` in seconds where it asks to wait.
    case status(Int, retryAfter: Int?)
    /// The address is none that this server calls. Nothing was sent.
    case addressRefused
    /// Surely not sent; the words are libcurl's.
    case notSent(String)
    /// The connection stood and no reply came: it may have been taken.
    case lost(String)
}

extension OutwardReply {
    /// A line for the operator; what was taken is one for debugging.
    /// - Parameter name: of the channel.
    func log(_ name: String, _ metadata: Logger.Metadata, _ logger: Logger) {
        var metadata = metadata
        switch self {
        case .status(let code, _):
            metadata["status"] = "\(code)"
            logger.log(
                level: (200..<300).contains(code) ? .debug : .notice, "\(name) answered", metadata: metadata)
        case .addressRefused:
            logger.warning("\(name) refused: it has an address that is not called", metadata: metadata)
        case .notSent(let words):
            metadata["reason"] = "\(words)"
            logger.notice("\(name) not sent", metadata: metadata)
        case .lost(let words):
            metadata["reason"] = "\(words)"
            logger.warning("connection lost before the \(name) was confirmed", metadata: metadata)
        }
    }
}

/// Who does POSTs: one function, so that tests can stand in for the outer world.
package struct OutwardCaller: Sendable {
    package var call: @Sendable (OutwardPost) async -> OutwardReply

    package init(call: @escaping @Sendable (OutwardPost) async -> OutwardReply) {
        self.call = call
    }
}
