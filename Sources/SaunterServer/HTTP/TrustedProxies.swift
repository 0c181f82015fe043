import SaunterCore

/// The proxies whose `X-Forwarded-For` is believed; anybody else could write anything into it.
package struct TrustedProxies: Sendable {
    package let ranges: [AddressRange]

    package init(_ ranges: [AddressRange] = []) {
        self.ranges = ranges
    }

    /// The client behind a chain of trusted proxies: from the right, the first address that is not one of them.
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
