/// Validates mail addresses.
package enum MailAddress {
    /// Whether the text is `local@domain` in printable ASCII, without quotes, white space, brackets or a route. The
    /// check is strict: a valid address can be copied unchanged into a header and an SMTP command.
    package static func isUsable(_ address: String) -> Bool {
        let parts = address.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, (1...64).contains(parts[0].count), (1...255).contains(parts[1].count) else {
            return false
        }
        let special = Set("!#$%&'*+-/=?^_`{|}~.".utf8)
        let dot = UInt8(ascii: ".")
        return parts[0].allSatisfy { MailText.isAlphanumeric($0) || special.contains($0) }
            && parts[1].allSatisfy { MailText.isAlphanumeric($0) || $0 == dot || $0 == UInt8(ascii: "-") }
            && parts.allSatisfy { part in
                part.split(separator: dot, omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
            }
            && parts[1].first != UInt8(ascii: "-")
    }
}
