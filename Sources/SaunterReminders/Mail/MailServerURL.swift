/// The parts of a mail server's URL, as written; only `credentials` and the options are decoded.
struct MailServerURL {
    let isSecure: Bool
    /// A name, an IPv4 address, or an IPv6 address in brackets.
    let host: String
    let port: Int?
    let path: String
    let options: [(name: String, value: String)]
    private let user: Substring?
    private let password: Substring?

    init(_ url: String) throws(MailFault) {
        guard MailText.isPlain(url), !url.contains(" "), url.utf8.count <= 2000 else {
            throw .badServer(reason: "it holds a space or a character that must be percent-encoded")
        }
        guard let mark = url.firstRange(of: "://"), ["smtp", "smtps"].contains(url[..<mark.lowerBound]) else {
            throw .badServer(reason: "it must begin with smtp:// or smtps://")
        }
        isSecure = url[..<mark.lowerBound] == "smtps"
        let rest = url[mark.upperBound...]
        guard !rest.contains("#") else { throw .badServer(reason: "# must be percent-encoded (%23)") }

        let address = rest.prefix { $0 != "/" && $0 != "?" }
        let tail = rest[address.endIndex...]
        let query = tail.firstIndex(of: "?")
        path = String(tail[..<(query ?? tail.endIndex)].drop { $0 == "/" })
        guard path.utf8.allSatisfy({ MailText.isAlphanumeric($0) || "-._[]:".utf8.contains($0) }) else {
            throw .badServer(
                reason: "what follows the host is the name for EHLO, letters, digits and dots only")
        }
        options = try Self.options(query.map { tail[$0...].dropFirst() } ?? "")

        let at = address.lastIndex(of: "@")
        let login = at.map { address[..<$0] }
        let colon = login?.firstIndex(of: ":")
        user = login.map { $0[..<(colon ?? $0.endIndex)] }
        password = colon.flatMap { colon in login.map { $0[$0.index(after: colon)...] } }
        (host, port) = try Self.hostAndPort(at.map { address[$0...].dropFirst() } ?? address[...])
    }

    /// Decoded; nil when there are none.
    func credentials() throws(MailFault) -> MailServer.Credentials? {
        guard let user else { return nil }
        guard let password, !user.isEmpty, let name = Self.decoded(user), let secret = Self.decoded(password),
            !secret.isEmpty
        else { throw .badServer(reason: "before the @ there must be user:password, percent-encoded") }
        return .init(user: name, password: secret)
    }

    private static func hostAndPort(_ text: Substring) throws(MailFault) -> (String, Int?) {
        let isBracketed = text.hasPrefix("[")
        let end = isBracketed ? text.firstIndex(of: "]").map(text.index(after:)) : text.firstIndex(of: ":")
        let host = text[..<(end ?? text.endIndex)]
        let allowed = isBracketed ? "0123456789abcdefABCDEF:.[]" : ".-_"
        guard !host.isEmpty, isBracketed == host.hasSuffix("]"),
            host.utf8.allSatisfy({
                (!isBracketed && MailText.isAlphanumeric($0)) || allowed.utf8.contains($0)
            }),
            host.first != "-", host.first != "."
        else { throw .badServer(reason: "there is no host") }
        let rest = text[host.endIndex...]
        guard !rest.isEmpty else { return (String(host), nil) }
        let digits = rest.dropFirst()
        guard rest.hasPrefix(":"), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(digits), port > 0
        else {
            throw .badServer(reason: "the port must be a number from 1 to 65535")
        }
        return (String(host), Int(port))
    }

    private static func options(_ query: Substring) throws(MailFault) -> [(String, String)] {
        var options: [(String, String)] = []
        for part in query.split(separator: "&") {
            let name = part.prefix { $0 != "=" }
            guard let value = decoded(part[name.endIndex...].dropFirst()) else {
                throw .badServer(reason: "after the ? there is a broken percent-encoding")
            }
            options.append((String(name), value))
        }
        return options
    }

    /// Percent-decoded UTF-8; nil when it is broken or holds a control character.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst(), let low = rest.popFirst(), let upper = hexadecimal(high),
                let lower = hexadecimal(low)
            else { return nil }
            bytes.append(upper << 4 | lower)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self), MailText.isSafe(decoded) else {
            return nil
        }
        return decoded
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        UInt8(String(UnicodeScalar(byte)), radix: 16)
    }
}
