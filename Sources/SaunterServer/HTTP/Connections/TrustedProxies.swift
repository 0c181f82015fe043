import SaunterCore

/// The proxies whose `X-Forwarded-For` header the server uses. From any other sender the header is ignored, because a
/// client can write anything into it.
package struct TrustedProxies: Sendable {
    /// The addresses of the proxies.
    package let ranges: [AddressRange]

    /// Creates the list; by default no proxy is trusted.
    package init(_ ranges: [AddressRange] = []) {
        self.ranges = ranges
    }

    /// The client's address behind a chain of trusted proxies: from the right, the first address that is not a trusted
    /// proxy.
    func client(peer: IPAddress?, forwardedFor: String?) -> IPAddress? {
        guard let peer, isTrusted(peer), let forwardedFor else { return peer }
        var client = peer
        for entry in forwardedFor.split(separator: ",").reversed() {
            guard let address = IPAddress(entry.filter { $0 != " " && $0 != "\t" }) else { return client }
            client = address
            if !isTrusted(address) { return client }
        }
        return client
    }

    private func isTrusted(_ address: IPAddress) -> Bool {
        ranges.contains { $0.contains(address) }
    }
}
