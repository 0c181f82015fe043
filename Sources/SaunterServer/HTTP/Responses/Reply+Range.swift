import HTTPTypes

extension Reply {
    /// A file in memory, or the part of it that the request names. Safari plays a recording only if parts of it can be
    /// requested.
    /// - Parameter request: the headers of the request.
    /// - Throws: `range-not-satisfiable`.
    package static func file(
        _ bytes: [UInt8], contentType: String, headers: HTTPFields, request: HTTPFields
    ) throws(Problem) -> Reply {
        let tag = EntityTag(of: bytes)
        var headers = headers
        headers[.acceptRanges] = "bytes"
        switch ByteRange(of: request, tag: tag, length: bytes.count) {
        case .whole:
            return .bytes(bytes, contentType: contentType, headers: headers, entityTag: tag)
        case .part(let range):
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"
            return .bytes(
                [UInt8](bytes[range]), status: .partialContent, contentType: contentType, headers: headers,
                entityTag: tag)
        case .unsatisfiable:
            throw Problem(
                .rangeNotSatisfiable, "The file has \(bytes.count) bytes.",
                headers: [.contentRange: "bytes */\(bytes.count)"])
        }
    }
}
