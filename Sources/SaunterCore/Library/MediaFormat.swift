/// The file formats of pictures, sounds and films. Other formats are not accepted, because SVG and HTML files can contain
/// scripts.
package enum MediaFormat: String, Sendable, Hashable, CaseIterable {
    case png, jpeg, webp
    case mp3, ogg, wav
    /// MPEG-4 with sound only.
    case m4a
    case mp4, webm

    /// What a file contains.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case image, audio, video
    }

    /// Recognises the format by the first bytes of a file; nil for other files.
    package init?(of bytes: [UInt8]) {
        func begins(_ prefix: [UInt8], at offset: Int = 0) -> Bool {
            bytes.count >= offset + prefix.count && bytes[offset...].starts(with: prefix)
        }
        func begins(_ prefix: String, at offset: Int = 0) -> Bool { begins(Array(prefix.utf8), at: offset) }
        if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if begins([0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if begins("RIFF"), begins("WEBP", at: 8) {
            self = .webp
        } else if begins("RIFF"), begins("WAVE", at: 8) {
            self = .wav
        } else if begins("OggS") {
            self = .ogg
        } else if begins("ID3") || Self.isFrameOfMP3(bytes) {
            self = .mp3
        } else if begins("ftypM4A", at: 4) || begins("ftypM4B", at: 4) {
            self = .m4a
        } else if begins("ftyp", at: 4) {
            self = .mp4
        } else if begins([0x1A, 0x45, 0xDF, 0xA3]) {
            self = .webm
        } else {
            return nil
        }
    }

    /// Whether the file begins with the header of an MPEG audio frame of layer 3.
    private static func isFrameOfMP3(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 4 && bytes[0] == 0xFF && bytes[1] & 0xE6 == 0xE2 && bytes[2] & 0xF0 != 0xF0
            && bytes[2] & 0x0C != 0x0C
    }

    /// What the file contains.
    package var kind: Kind {
        switch self {
        case .png, .jpeg, .webp: .image
        case .mp3, .ogg, .wav, .m4a: .audio
        case .mp4, .webm: .video
        }
    }

    /// The media type, such as `image/png`.
    package var mediaType: String {
        switch self {
        case .png, .jpeg, .webp: "image/\(rawValue)"
        case .mp3: "audio/mpeg"
        case .ogg, .wav: "audio/\(rawValue)"
        case .m4a: "audio/mp4"
        case .mp4, .webm: "video/\(rawValue)"
        }
    }
}
