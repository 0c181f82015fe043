import HTTPTypes

/// The single range of a `Range: bytes=…` header (RFC 9110, 14.1.2). For several ranges or an invalid header, the
/// server sends the whole file, which the RFC allows.
enum ByteRange: Equatable {
    case whole
    case part(Range<Int>)
    /// No byte of the range exists; the status is 416.
    case unsatisfiable

    /// The range that a request asks for. `If-Range` with another tag asks for the whole file.
    init(of headers: HTTPFields, tag: EntityTag, length: Int) {
        let condition = headers[HTTPField.Name("If-Range")!]
        self.init(condition == nil || condition == tag.description ? headers[.range] : nil, length: length)
    }

    init(_ header: String?, length: Int) {
        guard let header, header.hasPrefix("bytes="), !header.contains(",") else {
            self = .whole
            return
        }
        let ends = header.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else {
            self = .whole
            return
        }
        let (first, last) = (Int(ends[0]), Int(ends[1]))
        switch (ends[0].isEmpty, ends[1].isEmpty, first, last) {
        case (true, false, _, let suffix?) where suffix >= 0:
            self = suffix == 0 || length == 0 ? .unsatisfiable : .part(max(0, length - suffix)..<length)
        case (false, true, let first?, _) where first >= 0:
            self = first < length ? .part(first..<length) : .unsatisfiable
        case (false, false, let first?, let last?) where first >= 0 && last >= first:
            self =
                first < length ? .part(first..<min(length, last < Int.max ? last + 1 : last)) : .unsatisfiable
        default: self = .whole
        }
    }
}
