extension IPAddress {
    /// Whether it is one of the open internet's: no part of it belongs to this machine, a household, a provider's inside, a cloud's own services, a
    /// tunnel that hides another address, or documents. After the special-purpose registries of IANA; of IPv6 only what is given out to anybody.
    package var isPublic: Bool {
        if bytes.count == 4 { return !Self.special4.contains { $0.contains(self) } }
        return Self.global6.contains { $0.contains(self) } && !Self.special6.contains { $0.contains(self) }
    }

    private static let special4 = ranges([
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24",
        "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        // Multicast, what is kept back, and the broadcast address.
        "224.0.0.0/4", "240.0.0.0/4",
    ])

    private static let global6 = ranges(["2000::/3"])

    private static let special6 = ranges([
        // Teredo, benchmarks, ORCHID and other protocols; documents; 6to4, which holds an IPv4 address.
        "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
    ])

    private static func ranges(_ texts: [String]) -> [AddressRange] { texts.compactMap { AddressRange($0) } }
}
