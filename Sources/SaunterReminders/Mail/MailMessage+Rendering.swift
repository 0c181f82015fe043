import SaunterCore

extension MailMessage {
    /// The complete message in the format of RFC 5322: ASCII with CRLF line ends. The same value always produces the
    /// same bytes.
    package func rendered() -> [UInt8] {
        var lines = [
            "Date: \(Self.dateText(date))",
            "From: \(fromName.map { "\(MailText.phrase($0))\r\n " } ?? "")<\(from)>",
            "To: <\(to)>",
            "Subject: \(MailText.unstructured(subject))",
            "Message-ID: <\(messageID)>",
            "MIME-Version: 1.0",
        ]
        lines += headers.map { "\($0.name): \($0.value)" }
        guard let html else {
            return Self.joined(lines + Self.partHeaders("plain")) + MailText.quotedPrintable(text)
        }
        lines.append("Content-Type: multipart/alternative; boundary=\"\(Self.boundary)\"")
        var output = Self.joined(lines)
        for (kind, body) in [("plain", text), ("html", html)] {
            output += Array("--\(Self.boundary)\r\n".utf8) + Self.joined(Self.partHeaders(kind))
            // The line end before a boundary belongs to it, not to the body.
            output += MailText.quotedPrintable(body) + Array("\r\n".utf8)
        }
        return output + Array("--\(Self.boundary)--\r\n".utf8)
    }

    /// In quoted-printable, `=` is always followed by two hexadecimal digits or a line end. A body therefore cannot
    /// contain this boundary.
    private static let boundary = "=_saunter_part"

    private static func partHeaders(_ kind: String) -> [String] {
        ["Content-Type: text/\(kind); charset=utf-8", "Content-Transfer-Encoding: quoted-printable"]
    }

    /// Joins header lines and appends the empty line that ends them.
    private static func joined(_ lines: [String]) -> [UInt8] {
        Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// RFC 5322: `Sat, 21 Nov 2026 08:00:00 +0000`.
    static func dateText(_ instant: Instant) -> String {
        let text = instant.description
        let (date, clock) = (text.prefix(10).split(separator: "-"), text.dropFirst(11).prefix(8))
        // 1970-01-01 was a Thursday.
        let days = Int((instant.milliseconds - Self.millisecondsOfDay(instant)) / 86_400_000)
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][((days % 7) + 7) % 7]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard date.count == 3, let month = Int(date[1]), months.indices.contains(month - 1) else {
            return text
        }
        return "\(weekday), \(date[2]) \(months[month - 1]) \(date[0]) \(clock) +0000"
    }

    private static func millisecondsOfDay(_ instant: Instant) -> Int64 {
        let remainder = instant.milliseconds % 86_400_000
        return remainder < 0 ? remainder + 86_400_000 : remainder
    }
}
