import Foundation

/// A file in a form that a browser sends (`multipart/form-data`, RFC 7578).
struct UploadedFile {
    let bytes: [UInt8]
    /// The name of the file without its last extension; nil for a field that is no file, or if the browser sent none.
    let name: String?
    /// The name of the file without folders; nil as above.
    let fullName: String?

    /// Only the bytes of the field are copied, because the form can contain a film.
    /// - Parameter field: the name of the form's field.
    /// - Returns: nil if the form cannot be read, or has no such field.
    init?(field: String, in body: [UInt8], contentType: String) {
        guard let boundary = Self.boundary(contentType) else { return nil }
        let delimiter = Array("--\(boundary)".utf8)
        let contentEnd = Array("\r\n--\(boundary)".utf8)
        let blankLine = Array("\r\n\r\n".utf8)
        var position = 0
        while let start = Self.end(of: delimiter, in: body, from: position),
            let headEnd = Self.end(of: blankLine, in: body, from: start),
            let end = Self.end(of: contentEnd, in: body, from: headEnd)
        {
            let head = String(decoding: body[start..<headEnd - blankLine.count], as: UTF8.self)
            let last = end - contentEnd.count
            if head.contains(" name=\"\(field)\"") {
                bytes = [UInt8](body[headEnd..<last])
                fullName = Self.name(in: head)
                name = fullName.flatMap(Self.withoutExtension)
                return
            }
            position = last
        }
        return nil
    }

    /// The offset behind the next occurrence of some bytes; nil if there is none.
    private static func end(of mark: [UInt8], in body: [UInt8], from start: Int) -> Int? {
        body.withUnsafeBytes { raw in
            guard let base = raw.baseAddress else { return nil }
            var offset = start
            while offset + mark.count <= raw.count,
                let found = memchr(base + offset, Int32(mark[0]), raw.count - offset - mark.count + 1)
            {
                offset = UnsafeRawPointer(found) - base
                if memcmp(base + offset, mark, mark.count) == 0 { return offset + mark.count }
                offset += 1
            }
            return nil
        }
    }

    private static func name(in head: String) -> String? {
        guard let start = head.range(of: "filename=\"") else { return nil }
        // Some browsers send a path.
        let file =
            head[start.upperBound...].prefix { $0 != "\"" && !$0.isNewline }
            .split { $0 == "/" || $0 == "\\" }.last ?? ""
        return file.isEmpty ? nil : String(file)
    }

    private static func withoutExtension(_ file: String) -> String? {
        let name = file.lastIndex(of: ".").map { file[..<$0] } ?? file[...]
        return name.isEmpty ? nil : String(name)
    }

    /// The text that separates the fields. Its letter case matters.
    private static func boundary(_ contentType: String) -> String? {
        guard let name = contentType.range(of: "boundary=", options: .caseInsensitive) else { return nil }
        let text = contentType[name.upperBound...].prefix { $0 != ";" }.filter { $0 != "\"" && $0 != " " }
        return text.isEmpty ? nil : text
    }
}
