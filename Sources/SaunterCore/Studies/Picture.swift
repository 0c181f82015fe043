import Crypto
import Foundation

/// A picture of a pack: a PNG, JPEG or WebP file. Other formats are not accepted, because an SVG file can contain
/// scripts.
package struct Picture: Sendable, Hashable {
    /// The file formats of pictures.
    package enum Format: String, Sendable, Hashable, CaseIterable {
        case png, jpeg, webp

        /// Recognises the format by the first bytes of a file; nil for other files.
        package init?(of bytes: [UInt8]) {
            if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
                self = .png
            } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
                self = .jpeg
            } else if bytes.count >= 12, bytes.starts(with: Array("RIFF".utf8)),
                bytes[8..<12].elementsEqual("WEBP".utf8)
            {
                self = .webp
            } else {
                return nil
            }
        }

        /// The media type, such as `image/png`.
        package var mediaType: String { "image/\(rawValue)" }
    }

    /// The largest file: 256 KiB.
    package static let maximumBytes = 256 << 10

    /// The format of the file.
    package let format: Format
    /// The file.
    package let bytes: [UInt8]
    /// SHA-256 of the file, in hexadecimal digits.
    package let digest: String

    /// Returns nil if the file is not a picture.
    package init?(_ bytes: [UInt8]) {
        guard let format = Format(of: bytes) else { return nil }
        self.format = format
        self.bytes = bytes
        digest = Hex.encode(SHA256.hash(data: Data(bytes)))
    }

    /// The name of the file on the server: the digest and the format.
    package var name: String { "\(digest.prefix(32)).\(format.rawValue)" }

    /// Width and height in pixels of a PNG file; nil for other formats.
    package var pngSize: (width: Int, height: Int)? {
        guard format == .png, bytes.count >= 24 else { return nil }
        func number(_ offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        return (number(16), number(20))
    }
}
