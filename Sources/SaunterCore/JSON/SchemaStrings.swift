/// The rules for a string of a `Schema`.
struct StringRule: Sendable {
    let minLength: Int
    let maxLength: Int?
    let format: StringFormat?
    let values: [String]
}

/// The string formats that a `Schema` can require. Each format is checked by code. The published pattern only documents
/// it.
package enum StringFormat: String, Sendable, CaseIterable {
    /// 36 characters in any letter case.
    case uuid
    /// RFC 3339 with an offset, in the strict form of `Instant`.
    case dateTime = "date-time"
    /// `yyyy-mm-dd`, a date that exists.
    case date
    /// `hh:mm` or `hh:mm:ss`.
    case time
    /// An e-mail address, at most 254 bytes.
    case email
    /// An id of the IANA zone database.
    case zone
    /// A language tag such as `de` or `en-GB`.
    case language
    /// An absolute `http` or `https` address.
    case uri
    /// Lower-case ASCII letters, digits and hyphens: codes of studies, questionnaires and arms.
    case code
    /// One line of text that is not blank. Control characters (C0, DEL, C1) and line separators are not permitted.
    case line
    /// A new password that is not common.
    case password

    /// Whether the text has this form.
    package func accepts(_ text: String) -> Bool {
        switch self {
        case .uuid: ID<Never>(text) != nil
        case .dateTime: Instant(text) != nil
        case .date: LocalDate(text) != nil
        case .time: LocalTime(text) != nil
        case .email: Self.isEmail(text)
        case .zone: Zone(text) != nil
        case .language: Self.isLanguage(text)
        case .uri: Self.isAddress(text)
        case .code: Self.isCode(text)
        case .line: Self.isLine(text)
        case .password: !CommonPassword.matches(text)
        }
    }

    /// What the format requires, as the rest of the sentence "It must be …".
    package var expectation: String {
        switch self {
        case .uuid: "a UUID of 36 characters"
        case .dateTime: "a date and time of RFC 3339 with an offset, such as 2026-11-21T08:00:00.000Z"
        case .date: "a date that exists, such as 2026-11-21"
        case .time: "a time of day, such as 08:30"
        case .email: "an e-mail address"
        case .zone: "a time zone of the IANA database, such as Europe/Berlin"
        case .language: "a language tag, such as de or en-GB"
        case .uri: "an absolute http or https address"
        case .code: "a code of lower-case letters, digits and hyphens"
        case .line: "one line that is not blank, without control characters"
        case .password: "a password that is not common, such as several words that do not belong together"
        }
    }

    /// The published pattern. It exists for formats that JSON Schema has no name for, or defines less strictly.
    var pattern: String? {
        switch self {
        case .time: "^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$"
        case .language: "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,4}$"
        case .code: "^[a-z0-9][a-z0-9-]{0,63}$"
        case .uri: "^https?://"
        case .line:
            "^[^\\u0000-\\u001F\\u007F-\\u009F\\u2028\\u2029]*[^\\s\\u0000-\\u001F\\u007F-\\u009F\\u2028\\u2029][^\\u0000-\\u001F\\u007F-\\u009F\\u2028\\u2029]*$"
        case .uuid, .dateTime, .date, .email, .zone, .password: nil
        }
    }

    /// The format name of JSON Schema. `time` has none, because JSON Schema's `time` requires an offset.
    var publishedName: String? {
        switch self {
        case .uuid, .dateTime, .date, .email, .uri, .password: rawValue
        case .zone: "iana-time-zone"
        case .time, .language, .code, .line: nil
        }
    }

    /// Whether the text has a local part and a domain with a dot, in the ASCII that every mail server accepts. An
    /// address that cannot receive mail is rejected at once, not when the first reminder or password code is sent.
    private static func isEmail(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 254, (1...64).contains(parts[0].count) else {
            return false
        }
        let special = Set("!#$%&'*+-/=?^_`{|}~".utf8)
        let atoms = parts[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard
            atoms.allSatisfy({ atom in
                !atom.isEmpty && atom.allSatisfy { isAlphanumeric($0) || special.contains($0) }
            })
        else { return false }
        let labels = parts[1].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.count >= 2
            && labels.allSatisfy { label in
                (1...63).contains(label.count) && label.first != UInt8(ascii: "-")
                    && label.last != UInt8(ascii: "-")
                    && label.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
            }
    }

    /// Whether the text is a language with at most four subtags (BCP 47).
    private static func isLanguage(_ text: String) -> Bool {
        let tags = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard tags.count <= 5, let language = tags.first, (2...3).contains(language.count),
            language.allSatisfy({ isAlphanumeric($0) && $0 > UInt8(ascii: "9") })
        else { return false }
        return tags.dropFirst().allSatisfy { (2...8).contains($0.count) && $0.allSatisfy(isAlphanumeric) }
    }

    private static func isAddress(_ text: String) -> Bool {
        let rest: Substring
        if text.hasPrefix("https://") {
            rest = text.dropFirst(8)
        } else if text.hasPrefix("http://") {
            rest = text.dropFirst(7)
        } else {
            return false
        }
        guard let first = rest.utf8.first, isAlphanumeric(first) || first == UInt8(ascii: "[") else {
            return false
        }
        return text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !Set("<>\"\\^`{|}".utf8).contains($0) }
    }

    private static func isLine(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        return scalars.contains { !$0.properties.isWhitespace }
            && scalars.allSatisfy {
                $0.properties.generalCategory != .control && $0 != "\u{2028}" && $0 != "\u{2029}"
            }
    }

    private static func isCode(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: "-")
            && text.utf8.allSatisfy {
                isAlphanumeric($0) && !(65...90).contains($0) || $0 == UInt8(ascii: "-")
            }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
    }
}

extension Schema {
    /// A UUID of 36 characters.
    package static let uuid = Schema.string(format: .uuid)
    /// A date and time of RFC 3339 with an offset.
    package static let dateTime = Schema.string(format: .dateTime)
    /// A calendar date.
    package static let date = Schema.string(format: .date)
    /// A wall-clock time of day.
    package static let time = Schema.string(format: .time)
    /// An e-mail address.
    package static let email = Schema.string(maxLength: 254, format: .email)
    /// An IANA time zone.
    package static let zone = Schema.string(format: .zone)
    /// A language tag.
    package static let language = Schema.string(format: .language)
    /// An absolute web address.
    package static let uri = Schema.string(maxLength: 2000, format: .uri)
    /// A code of a study, questionnaire or arm.
    package static let code = Schema.string(format: .code)
}
