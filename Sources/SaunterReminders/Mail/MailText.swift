import Foundation

/// Encodes text for mail: RFC 5322 lines, RFC 2047 encoded words, RFC 2045 quoted-printable.
enum MailText {
    /// Whether a header may contain the text: it has no control character (C0, DEL, C1) and thus no line end.
    static func isSafe(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    }

    /// Whether the text is printable ASCII and spaces only.
    static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    /// Encodes a free-text header such as `Subject`. Short plain text is unchanged; other text becomes encoded words
    /// (RFC 2047, B), one per line.
    static func unstructured(_ text: String) -> String {
        let needsNoEncoding =
            isPlain(text) && text.utf8.count <= 66 && !text.contains("=?") && !text.hasPrefix(" ")
            && !text.hasSuffix(" ")
        return needsNoEncoding ? text : encodedWords(text)
    }

    /// Encodes a display name in front of an address: atoms are unchanged, other text becomes encoded words.
    static func phrase(_ text: String) -> String {
        let isAtoms =
            text.utf8.count <= 50 && !text.isEmpty && !text.hasPrefix(" ") && !text.hasSuffix(" ")
            && text.utf8.allSatisfy {
                isAlphanumeric($0) || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "-")
            }
        return isAtoms ? text : encodedWords(text)
    }

    /// Encoded words of at most 75 characters. A character is never split between two words.
    static func encodedWords(_ text: String) -> String {
        var words: [String] = []
        var part: [UInt8] = []
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if part.count + bytes.count > 45 {
                words.append("=?utf-8?B?\(Data(part).base64EncodedString())?=")
                part = []
            }
            part += bytes
        }
        words.append("=?utf-8?B?\(Data(part).base64EncodedString())?=")
        return words.joined(separator: "\r\n ")
    }

    /// Encodes a body as quoted-printable: lines of at most 76 characters that end with CRLF. A `.` at the start of a
    /// line is encoded, so that no server can mistake it for the end of the message.
    static func quotedPrintable(_ text: String) -> [UInt8] {
        var output: [UInt8] = []
        for line in lines(text) {
            var column = 0
            for (index, byte) in line.enumerated() {
                let isLast = index == line.count - 1
                let isSpace = byte == 0x20 || byte == 0x09
                let isLiteral =
                    (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=")
                    && !(byte == UInt8(ascii: ".") && index == 0)
                let piece = isLiteral || (isSpace && !isLast) ? [byte] : escaped(byte)
                if column + piece.count > 75 {
                    output += Array("=\r\n".utf8)
                    column = 0
                }
                // A line break can move a `.` to the start of a line. There it must be encoded.
                let encoded = column == 0 && piece == [UInt8(ascii: ".")] ? escaped(byte) : piece
                output += encoded
                column += encoded.count
            }
            output += Array("\r\n".utf8)
        }
        return output
    }

    /// The lines of a text with any kind of line end. A final line end does not begin another line.
    private static func lines(_ text: String) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var line: [UInt8] = []
        var isAfterCarriageReturn = false
        for byte in text.utf8 {
            if byte == 0x0A, isAfterCarriageReturn {
                isAfterCarriageReturn = false
                continue
            }
            isAfterCarriageReturn = byte == 0x0D
            if byte == 0x0A || byte == 0x0D {
                lines.append(line)
                line = []
            } else {
                line.append(byte)
            }
        }
        if !line.isEmpty { lines.append(line) }
        return lines
    }

    private static func escaped(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    /// At most the first 60 bytes, with question marks for bytes that are not visible ASCII. For error texts.
    static func printable(_ text: String) -> String {
        String(
            decoding: text.utf8.prefix(60).map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: "?") },
            as: UTF8.self)
    }
}
