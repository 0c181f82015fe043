import SaunterCore

/// An address that somebody outside named and this server is to call: `https`, a host, nothing that two readers of URLs could read in two ways.
package struct OutwardURL: Sendable, Hashable {
    /// As it was given.
    package let text: String
    /// A name, an IPv4 address, or an IPv6 address in brackets; in small letters.
    package let host: String
    package let port: Int

    /// The most bytes of one.
    package static let mostBytes = 2048

    /// Nil for anything but `https://host[:port][/path][?query]` in printable ASCII.
    package init?(_ text: String) {
        let scheme = "https://"
        guard text.utf8.count <= Self.mostBytes, text.hasPrefix(scheme),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !Self.forbidden.contains($0) })
        else { return nil }
        let authority = text.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
        let isBracketed = authority.hasPrefix("[")
        let end =
            isBracketed
            ? authority.firstIndex(of: "]").map(authority.index(after:)) : authority.firstIndex(of: ":")
        let host = authority[..<(end ?? authority.endIndex)].lowercased()
        guard isBracketed ? Self.isBracketedAddress(host) : Self.isName(host) else { return nil }
        let rest = authority[(end ?? authority.endIndex)...]
        guard let port = rest.isEmpty ? 443 : Self.port(rest) else { return nil }
        self.text = text
        self.host = host
        self.port = port
    }

    /// RFC 6454: without the port where it is the usual one.
    package var origin: String { "https://\(host)\(port == 443 ? "" : ":\(port)")" }

    /// The address that stands in place of a name.
    package var address: IPAddress? {
        IPAddress(host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host)
    }

    /// User information, fragments, backslashes and quotes have no place in one.
    private static let forbidden = Set("@#\\\"<>^`{|}".utf8)

    private static func isName(_ host: String) -> Bool {
        let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return host.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.count) && label.first != UInt8(ascii: "-")
                    && label.allSatisfy {
                        (48...57).contains($0) || (97...122).contains($0) || $0 == UInt8(ascii: "-")
                    }
            }
    }

    private static func isBracketedAddress(_ host: String) -> Bool {
        guard host.hasSuffix("]"), !host.contains("%") else { return false }
        return host.contains(":") && IPAddress(host.dropFirst().dropLast()) != nil
    }

    private static func port(_ text: Substring) -> Int? {
        let digits = text.dropFirst()
        guard text.hasPrefix(":"), (1...5).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(digits), port > 0
        else { return nil }
        return Int(port)
    }
}
