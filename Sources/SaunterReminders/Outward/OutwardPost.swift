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

/// Who does POSTs: one function, so that tests can stand in for the outer world.
package struct OutwardCaller: Sendable {
    package var call: @Sendable (OutwardPost) async -> OutwardReply

    package init(call: @escaping @Sendable (OutwardPost) async -> OutwardReply) {
        self.call = call
    }
}
