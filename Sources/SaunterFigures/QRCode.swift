import CQRencode

/// A QR code of a text (ISO/IEC 18004) with medium error correction, made by libqrencode.
package struct QRCode: Sendable, Equatable {
    /// The number of modules of a side, without the quiet zone.
    package let width: Int
    /// Row by row from the top; true for a dark module.
    package let modules: [Bool]

    /// The width of the empty border in modules, which readers need.
    package static let quietZone = 4

    /// Nil for a text that is empty, or too long for a QR code: about 2,300 bytes.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty,
            let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M)
        else { return nil }
        defer { QRcode_free(code) }
        width = Int(code.pointee.width)
        // The lowest bit of each byte is the colour.
        modules = (0..<width * width).map { code.pointee.data[$0] & 1 == 1 }
    }

    /// The dark modules as one SVG path, with a rectangle for each run in a row. The quiet zone is included.
    package var path: String {
        var path = ""
        for row in 0..<width {
            var column = 0
            while column < width {
                guard modules[row * width + column] else {
                    column += 1
                    continue
                }
                let start = column
                while column < width, modules[row * width + column] { column += 1 }
                let run = column - start
                path += "M\(start + Self.quietZone) \(row + Self.quietZone)h\(run)v1h-\(run)z"
            }
        }
        return path
    }

    /// The `svg` element: black on white also in a dark page, because many readers expect it. One module is one unit.
    /// - Parameter title: the accessible name.
    package func svg(title: String) -> String {
        let size = width + 2 * Self.quietZone
        let name = Markup.escaped(title)
        return "<svg role=\"img\" aria-label=\"\(name)\" class=\"qr\" viewBox=\"0 0 \(size) \(size)\""
            + " shape-rendering=\"crispEdges\"><title>\(name)</title>"
            + "<rect width=\"\(size)\" height=\"\(size)\" fill=\"#fff\"/>"
            + "<path fill=\"#000\" d=\"\(path)\"/></svg>"
    }
}
