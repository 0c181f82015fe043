import Crypto
import Foundation

/// A picture of a pack: a PNG, JPEG or WebP file. Other formats are not accepted, because an SVG file can contain
/// scripts.
package struct Picture: Sendable, Hashable {
    /// The largest file: 256 KiB.
    package static let maximumBytes = 256 << 10

    /// The format of the file.
    package let format: MediaFormat
    /// The file.
    package let bytes: [UInt8]
    /// SHA-256 of the file, in hexadecimal digits.
    package let digest: String

    /// Returns nil if the file is not a picture.
    package init?(_ bytes: [UInt8]) {
        guard let format = MediaFormat(of: bytes), format.kind == .image else { return nil }
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
