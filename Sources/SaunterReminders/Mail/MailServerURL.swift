import SaunterCore

/// The parts of a mail server's URL. Only the credentials and the options are percent-decoded.
struct MailServerURL {
    let isSecure: Bool
    /// A name, an IPv4 address, or an IPv6 address in brackets.
    let host: String
    let port: Int?
    let path: String
    let options: [(name: String, value: String)]
    private let user: Substring?
    private let password: Secret<Substring>?

    init(_ url: String) throws(MailFault) {
        guard MailText.isPlain(url), !url.contains(" "), url.utf8.count <= 2000 else {
            throw .badServer(
                reason:
                    "it contains a space or a character that must be percent-encoded, or has more than 2000 bytes"
            )
        }
        guard let schemeEnd = url.firstRange(of: "://"),
            ["smtp", "smtps"].contains(url[..<schemeEnd.lowerBound])
        else {
            throw .badServer(reason: "it must begin with smtp:// or smtps://")
        }
        isSecure = url[..<schemeEnd.lowerBound] == "smtps"
        let afterScheme = url[schemeEnd.upperBound...]
        guard !afterScheme.contains("#") else { throw .badServer(reason: "# must be percent-encoded (%23)") }

        let authority = afterScheme.prefix { $0 != "/" && $0 != "?" }
        let pathAndQuery = afterScheme[authority.endIndex...]
        let query = pathAndQuery.firstIndex(of: "?")
        path = String(pathAndQuery[..<(query ?? pathAndQuery.endIndex)].drop { $0 == "/" })
        guard path.utf8.allSatisfy({ MailText.isAlphanumeric($0) || "-._[]:".utf8.contains($0) }) else {
            throw .badServer(
                reason: "the path after the host is the name for EHLO: only letters, digits and dots")
        }
        options = try Self.options(query.map { pathAndQuery[$0...].dropFirst() } ?? "")

        let atSign = authority.lastIndex(of: "@")
        let userInfo = atSign.map { authority[..<$0] }
        let colon = userInfo?.firstIndex(of: ":")
        user = userInfo.map { $0[..<(colon ?? $0.endIndex)] }
        password = colon.flatMap { colon in userInfo.map { Secret($0[$0.index(after: colon)...]) } }
        (host, port) = try Self.hostAndPort(atSign.map { authority[$0...].dropFirst() } ?? authority[...])
    }

    /// The decoded credentials; nil if the URL has none.
    func credentials() throws(MailFault) -> MailServer.Credentials? {
        guard let user else { return nil }
        guard let password, !user.isEmpty, let userName = Self.decoded(user),
            let decodedPassword = Self.decoded(password.revealed), !decodedPassword.isEmpty
        else { throw .badServer(reason: "before the @ there must be user:password, percent-encoded") }
        return .init(user: userName, password: Secret(decodedPassword))
    }

    private static func hostAndPort(_ text: Substring) throws(MailFault) -> (String, Int?) {
        let isBracketed = text.hasPrefix("[")
        let hostEnd =
            isBracketed ? text.firstIndex(of: "]").map(text.index(after:)) : text.firstIndex(of: ":")
        let host = text[..<(hostEnd ?? text.endIndex)]
        let allowed = isBracketed ? "0123456789abcdefABCDEF:.[]" : ".-_"
        guard !host.isEmpty, isBracketed == host.hasSuffix("]"),
            host.utf8.allSatisfy({
                (!isBracketed && MailText.isAlphanumeric($0)) || allowed.utf8.contains($0)
            }),
            host.first != "-", host.first != "."
        else { throw .badServer(reason: "the host is missing or invalid") }
        let portText = text[host.endIndex...]
        guard !portText.isEmpty else { return (String(host), nil) }
        let digits = portText.dropFirst()
        guard portText.hasPrefix(":"), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
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
                throw .badServer(reason: "after the ? there is an invalid percent-encoding")
            }
            options.append((String(name), value))
        }
        return options
    }

    /// Percent-decoded UTF-8. Nil if the encoding is invalid or the text contains a control character.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var remainder = text.utf8
        while let byte = remainder.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = remainder.popFirst(), let low = remainder.popFirst(),
                let upper = Hex.value(of: high),
                let lower = Hex.value(of: low)
            else { return nil }
            bytes.append(upper << 4 | lower)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self), MailText.isSafe(decoded) else {
            return nil
        }
        return decoded
    }
}
