import Foundation

/// Addresses of pages.
enum PageAddress {
    /// The address of a participant's pages in a study.
    static func home(_ enrolment: String) -> String { "/my/\(enrolment)" }

    /// A text as one value of a query.
    static func encode(_ text: String) -> String {
        let allowed = CharacterSet(
            charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }

    /// A text as one part of a path.
    static func encodePart(_ text: String) -> String { encode(text).replacing("/", with: "%2F") }

    /// The cursor in the address of the next page of a list, percent-encoded as it is there; nil if it has none.
    static func cursor(of next: String) -> String? {
        guard let range = next.firstRange(of: "cursor=") else { return nil }
        return String(next[range.upperBound...].prefix { $0 != "&" })
    }

    /// An address that a form or link names, if it leads to a page of this server; otherwise the fallback. A foreign
    /// address would make the server lead visitors to other sites.
    static func own(_ address: String, fallback: String) -> String {
        guard address.hasPrefix("/"), !address.hasPrefix("//"), !address.hasPrefix("/\\"),
            address.unicodeScalars.allSatisfy({ $0.value > 32 && $0.value < 127 && $0 != "\\" })
        else { return fallback }
        return address
    }
}
