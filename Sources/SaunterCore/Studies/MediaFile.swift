import Crypto
import Foundation

/// A picture, sound or film in the folder `media` of a study or of an instrument. `MediaFormat` has the accepted
/// formats.
package struct MediaFile: Sendable, Hashable {
    /// The largest file: 256 KiB for a picture, 1 MiB for a sound or a film.
    package static func maximumBytes(_ kind: MediaFormat.Kind) -> Int {
        kind == .image ? 256 << 10 : 1 << 20
    }

    /// The format of the file.
    package let format: MediaFormat
    /// The file.
    package let bytes: [UInt8]
    /// SHA-256 of the file, in hexadecimal digits.
    package let digest: String

    /// Returns nil if the file is not of this kind, or too large.
    package init?(_ bytes: [UInt8], kind: MediaFormat.Kind = .image) {
        guard bytes.count <= Self.maximumBytes(kind), let format = MediaFormat(of: bytes), format.kind == kind
        else { return nil }
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
