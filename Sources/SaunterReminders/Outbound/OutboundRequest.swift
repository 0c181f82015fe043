import Logging

/// A POST request to a URL that a client supplied.
package struct OutboundRequest: Sendable, Hashable {
    /// Where the request goes. The policy is applied to its addresses when the request is sent.
    package var url: OutboundURL
    /// Printable ASCII, sent in this order.
    package var headers: [Header]
    /// The body as sent.
    package var body: [UInt8]

    /// One header of the request.
    package struct Header: Sendable, Hashable {
        /// The name; case does not matter.
        package var name: String
        /// Printable ASCII.
        package var value: String

        /// Creates a header.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Creates a POST request.
    package init(url: OutboundURL, headers: [Header], body: [UInt8]) {
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// The value of the first header with this name, in any case; nil if there is none.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// The outcome of one request.
package enum OutboundOutcome: Sendable, Hashable {
    /// A response arrived. `retryAfter` is the delay in seconds that it asks for, if any.
    case status(Int, retryAfter: Int?)
    /// The policy does not permit the address. Nothing was sent.
    case addressRefused
    /// Certainly not sent. The text comes from libcurl.
    case notSent(String)
    /// The connection was open and no response arrived: the request may have been accepted.
    case lost(String)
}

extension OutboundOutcome {
    /// Logs the outcome for the operator. A success is logged at level debug.
    /// - Parameter channel: the name of the channel.
    func log(_ channel: String, _ metadata: Logger.Metadata, _ logger: Logger) {
        var metadata = metadata
        switch self {
        case .status(let code, _):
            metadata["status"] = "\(code)"
            logger.log(
                level: (200..<300).contains(code) ? .debug : .notice, "\(channel) answered",
                metadata: metadata)
        case .addressRefused:
            logger.warning(
                "\(channel) not sent: the outbound address policy does not permit its address",
                metadata: metadata)
        case .notSent(let reason):
            metadata["reason"] = "\(reason)"
            logger.notice("\(channel) not sent", metadata: metadata)
        case .lost(let reason):
            metadata["reason"] = "\(reason)"
            logger.warning("connection lost before the \(channel) was confirmed", metadata: metadata)
        }
    }
}

/// Sends requests. It is one function, so that tests can replace the network.
package struct OutboundClient: Sendable {
    /// Makes one attempt. It never throws; a fault is an outcome.
    package var send: @Sendable (OutboundRequest) async -> OutboundOutcome

    /// Creates a client from its function.
    package init(send: @escaping @Sendable (OutboundRequest) async -> OutboundOutcome) {
        self.send = send
    }
}
