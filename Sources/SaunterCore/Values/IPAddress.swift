import Foundation

/// An IPv4 or IPv6 address; an IPv4 address in IPv6 clothes (`::ffff:192.0.2.1`) is the IPv4 address.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 or 16 bytes, in network order.
    package let bytes: [UInt8]

    /// Reads the usual forms, without port; a zone index (`%eth0`) is cut off. Nil for anything else.
    package init?(_ text: some StringProtocol) {
        let name = String(text.prefix { $0 != "%" })
        if let four = Self.parse(name, family: AF_INET, count: 4) {
            bytes = four
        } else if let sixteen = Self.parse(name, family: AF_INET6, count: 16) {
            bytes = Self.undressed(sixteen)
        } else {
            return nil
        }
    }

    /// 4 or 16 bytes in network order; nil for any other number of them.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = Self.undressed(bytes)
    }

    private static func undressed(_ bytes: [UInt8]) -> [UInt8] {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return bytes.count == 16 && bytes.starts(with: mapped) ? Array(bytes.suffix(4)) : bytes
    }

    private static func parse(_ name: String, family: Int32, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, name, &bytes) == 1 ? bytes : nil
    }

    /// Whom a throttle counts as one: the IPv4 address, or the /64 that a household or provider gives out whole.
    package var network: [UInt8] { bytes.count == 4 ? bytes : Array(bytes.prefix(8)) }

    /// 127.0.0.0/8 and ::1: this machine itself.
    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    package var description: String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        return groups.map { String($0, radix: 16) }.joined(separator: ":")
    }
}

/// A range of addresses such as `10.0.0.0/8` or `::1`.
package struct AddressRange: Sendable, Hashable {
    private let base: [UInt8]
    private let bits: Int

    /// An address with or without a prefix length; nil for anything else.
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
