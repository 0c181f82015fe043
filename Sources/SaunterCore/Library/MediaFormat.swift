/// The file formats of pictures, sounds and films. Other formats are not accepted: SVG and HTML files can contain
/// scripts, and browsers do not show HEIC pictures, QuickTime films and Matroska films.
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
        } else if begins("ftyp", at: 4), let format = Self.formatOfMPEG4(bytes) {
            self = format
        } else if begins([0x1A, 0x45, 0xDF, 0xA3]), Self.isWebM(bytes) {
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

    /// The format that the major brand of an ISO base media file (ISO/IEC 14496-12) names. HEIC and AVIF pictures and
    /// QuickTime films have the same structure, but other brands.
    private static func formatOfMPEG4(_ bytes: [UInt8]) -> MediaFormat? {
        guard bytes.count >= 12 else { return nil }
        switch String(decoding: bytes[8..<12], as: UTF8.self) {
        case "M4A ", "M4B ": return .m4a
        case "isom", "iso2", "iso3", "iso4", "iso5", "iso6", "mp41", "mp42", "avc1", "dash", "M4V ", "MSNV":
            return .mp4
        default: return nil
        }
    }

    /// Whether the EBML header names the document type `webm`. The header of Matroska files names `matroska`.
    private static func isWebM(_ bytes: [UInt8]) -> Bool {
        let documentType: [UInt8] = [0x42, 0x82, 0x84] + Array("webm".utf8)
        let header = bytes.prefix(64)
        return header.indices.contains { header[$0...].starts(with: documentType) }
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
