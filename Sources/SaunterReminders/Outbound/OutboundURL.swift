import SaunterCore

/// A URL that a client supplied and that the server will call. It uses `https` and has only parts that all URL parsers
/// read in the same way.
package struct OutboundURL: Sendable, Hashable {
    /// The text as the client supplied it.
    package let text: String
    /// A lower-case name, an IPv4 address, or an IPv6 address in brackets.
    package let host: String
    /// 443 if the URL names none.
    package let port: Int

    /// The maximum length in bytes.
    package static let maximumBytes = 2048

    /// Nil unless the text is `https://host[:port][/path][?query]` in printable ASCII.
    package init?(_ text: String) {
        let scheme = "https://"
        guard text.utf8.count <= Self.maximumBytes, text.hasPrefix(scheme),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !Self.forbiddenBytes.contains($0) })
        else { return nil }
        let authority = text.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
        let isBracketed = authority.hasPrefix("[")
        let hostEnd =
            isBracketed
            ? authority.firstIndex(of: "]").map(authority.index(after:)) : authority.firstIndex(of: ":")
        let host = authority[..<(hostEnd ?? authority.endIndex)].lowercased()
        guard isBracketed ? Self.isBracketedAddress(host) : Self.isHostName(host) else { return nil }
        let portText = authority[(hostEnd ?? authority.endIndex)...]
        guard let port = portText.isEmpty ? 443 : Self.port(portText) else { return nil }
        self.text = text
        self.host = host
        self.port = port
    }

    /// The origin as in RFC 6454, without the default port.
    package var origin: String { "https://\(host)\(port == 443 ? "" : ":\(port)")" }

    /// The IP address, if the URL contains one instead of a name.
    package var address: IPAddress? {
        IPAddress(host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host)
    }

    /// No accepted URL contains these bytes: `@` begins a host after user information, `#` begins a fragment, and
    /// programs read the others differently.
    private static let forbiddenBytes = Set("@#\\\"<>^`{|}".utf8)

    private static func isHostName(_ host: String) -> Bool {
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
