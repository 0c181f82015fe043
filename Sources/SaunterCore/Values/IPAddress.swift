import Foundation

/// An IPv4 or IPv6 address. An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) becomes the IPv4 address.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// The 4 or 16 bytes of the address, in network byte order.
    package let bytes: [UInt8]

    /// Parses the usual text forms, without a port. A zone index (`%eth0`) is removed. Returns nil for any other text.
    package init?(_ text: some StringProtocol) {
        let name = String(text.prefix { $0 != "%" })
        if let four = Self.parse(name, family: AF_INET, count: 4) {
            bytes = four
        } else if let sixteen = Self.parse(name, family: AF_INET6, count: 16) {
            bytes = Self.unmapped(sixteen)
        } else {
            return nil
        }
    }

    /// Creates an address from 4 or 16 bytes in network byte order. Returns nil for any other number of bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = Self.unmapped(bytes)
    }

    private static func unmapped(_ bytes: [UInt8]) -> [UInt8] {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return bytes.count == 16 && bytes.starts(with: mapped) ? Array(bytes.suffix(4)) : bytes
    }

    private static func parse(_ name: String, family: Int32, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, name, &bytes) == 1 ? bytes : nil
    }

    /// The network that a rate limit counts as one client: the IPv4 address, or the /64 prefix of an IPv6 address.
    /// Providers assign a complete /64 to one household.
    package var network: [UInt8] { bytes.count == 4 ? bytes : Array(bytes.prefix(8)) }

    /// Whether the address is this machine: 127.0.0.0/8 or ::1.
    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    /// IPv4 with dots; IPv6 as eight groups of hexadecimal digits, not shortened.
    package var description: String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        return groups.map { String($0, radix: 16) }.joined(separator: ":")
    }
}

/// A range of addresses in CIDR notation, such as `10.0.0.0/8` or `::1`.
package struct AddressRange: Sendable, Hashable {
    private let base: [UInt8]
    private let bits: Int

    /// Parses an address with or without a prefix length. Returns nil for any other text.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = parts.first.flatMap({ IPAddress($0) }) else { return nil }
        let width = address.bytes.count * 8
        guard let bits = parts.count == 2 ? Int(parts[1]) : width, (0...width).contains(bits) else {
            return nil
        }
        base = address.bytes
        self.bits = bits
    }

    /// Whether the address is in this range. An IPv4 address is never in an IPv6 range, and vice versa.
    package func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == base.count else { return false }
        for (index, byte) in base.enumerated() {
            let left = bits - index * 8
            if left <= 0 { return true }
            let mask: UInt8 = left >= 8 ? 0xFF : ~(0xFF >> UInt8(left))
            if byte & mask != address.bytes[index] & mask { return false }
        }
        return true
    }
}

extension IPAddress {
    /// Whether the address belongs to the public internet. It follows the special-purpose registries of IANA. Not
    /// public are loopback, private, carrier-internal, link-local (cloud metadata), documentation and tunnel addresses.
    /// An IPv6 address is public only if it is in 2000::/3, the range that IANA allocates.
    package var isPublic: Bool {
        if bytes.count == 4 { return !Self.special4.contains { $0.contains(self) } }
        return Self.global6.contains { $0.contains(self) } && !Self.special6.contains { $0.contains(self) }
    }

    private static let special4 = ranges([
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24",
        "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        // Multicast, reserved addresses, and the broadcast address.
        "224.0.0.0/4", "240.0.0.0/4",
    ])

    private static let global6 = ranges(["2000::/3"])

    private static let special6 = ranges([
        // Teredo, benchmarking, ORCHID and other protocols; documentation; 6to4, which contains an IPv4 address.
        "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
    ])

    private static func ranges(_ texts: [String]) -> [AddressRange] { texts.compactMap { AddressRange($0) } }
}
