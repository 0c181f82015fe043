import Foundation

/// Addresses of pages.
enum PageAddress {
    /// The address of a participant's pages in a study.
    static func home(_ enrolment: String) -> String { "/my/\(enrolment)" }

    /// The address of a study's page for its team.
    static func staff(_ study: String) -> String { "/staff/\(encodePart(study))" }

    /// A text as one value of a query.
    static func encode(_ text: String) -> String {
        let allowed = CharacterSet(
            charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }

    /// A text as one part of a path.
    static func encodePart(_ text: String) -> String { encode(text).replacing("/", with: "%2F") }

    /// An address that a form or link names, if it leads to a page of this server; otherwise the fallback. A foreign
    /// address would make the server lead visitors to other sites.
    static func own(_ address: String, fallback: String) -> String {
        guard address.hasPrefix("/"), !address.hasPrefix("//"), !address.hasPrefix("/\\"),
            address.unicodeScalars.allSatisfy({ $0.value > 32 && $0.value < 127 && $0 != "\\" })
        else { return fallback }
        return address
    }
}
