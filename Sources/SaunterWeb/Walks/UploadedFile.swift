import Foundation

/// A file in a form that a browser sends (`multipart/form-data`, RFC 7578).
struct UploadedFile {
    let bytes: [UInt8]
    /// The name of the file without its last extension; nil for a field that is no file, or if the browser sent none.
    let name: String?

    /// - Parameter field: the name of the form's field.
    /// - Returns: nil if the form cannot be read, or has no such field.
    init?(field: String, in body: [UInt8], contentType: String) {
        guard let boundary = Self.boundary(contentType) else { return nil }
        let form = Data(body)
        let delimiter = Data("--\(boundary)".utf8)
        let contentEnd = Data("\r\n--\(boundary)".utf8)
        let blankLine = Data("\r\n\r\n".utf8)
        var position = form.startIndex
        while let start = form.range(of: delimiter, in: position..<form.endIndex),
            let headEnd = form.range(of: blankLine, in: start.upperBound..<form.endIndex),
            let end = form.range(of: contentEnd, in: headEnd.upperBound..<form.endIndex)
        {
            let head = String(decoding: form[start.upperBound..<headEnd.lowerBound], as: UTF8.self)
            if head.contains(" name=\"\(field)\"") {
                bytes = [UInt8](form[headEnd.upperBound..<end.lowerBound])
                name = Self.name(in: head)
                return
            }
            position = end.lowerBound
        }
        return nil
    }

    private static func name(in head: String) -> String? {
        guard let start = head.range(of: "filename=\"") else { return nil }
        // Some browsers send a path.
        let file =
            head[start.upperBound...].prefix { $0 != "\"" && !$0.isNewline }
            .split { $0 == "/" || $0 == "\\" }.last ?? ""
        let name = file.lastIndex(of: ".").map { file[..<$0] } ?? file
        return name.isEmpty ? nil : String(name)
    }

    /// The text that separates the fields. Its letter case matters.
    private static func boundary(_ contentType: String) -> String? {
        guard let name = contentType.range(of: "boundary=", options: .caseInsensitive) else { return nil }
        let text = contentType[name.upperBound...].prefix { $0 != ";" }.filter { $0 != "\"" && $0 != " " }
        return text.isEmpty ? nil : text
    }
}
