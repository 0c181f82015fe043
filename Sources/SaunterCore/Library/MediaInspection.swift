import Foundation

/// Decides whether an uploaded file is the picture, sound or film that its name claims. Headers and the structure of
/// the file are read, and nothing is unpacked.
package enum MediaInspection {
    /// Why a file is not accepted.
    package enum Fault: Error, Sendable, Hashable {
        /// The content is none of the accepted formats, or its header is damaged.
        case format
        /// The content has another format than the ending of the name claims.
        case ending(MediaFormat)
        /// The file also contains a page, a script or an archive, so another program could read it as one.
        case mixed
        /// The picture has more pixels than a device can show.
        case pixels(Int)

        /// What is wrong, in English.
        package var words: String {
            switch self {
            case .format:
                "the file is no PNG, JPEG or WebP picture, MP3, Ogg, WAV or M4A sound, or MP4 or WebM film"
            case .ending(let format):
                "the content of the file is \(format.mediaType); its name has another ending"
            case .mixed: "the file also contains a page, a script or an archive"
            case .pixels:
                "the picture has more than \(MediaInspection.maximumPixels / 1_000_000) million pixels"
            }
        }
    }

    /// The most pixels of a picture: 40 million. A small file can unpack to many more.
    package static let maximumPixels = 40_000_000

    /// The accepted formats for the endings of names.
    private static let endings: [String: MediaFormat] = [
        "png": .png, "jpg": .jpeg, "jpeg": .jpeg, "webp": .webp, "mp3": .mp3, "ogg": .ogg, "oga": .ogg,
        "opus": .ogg, "wav": .wav, "m4a": .m4a, "mp4": .mp4, "m4v": .mp4, "webm": .webm,
    ]

    /// In sounds and films, pages and scripts are looked for in the first and in the last MiB. Programs that guess the
    /// type of a file read no further, and in the middle of a large film the marks can occur by chance.
    private static let inspectedBytes = 1 << 20

    /// Checks a file.
    /// - Parameter name: the name or path of the file.
    /// - Returns: the format.
    package static func format(of bytes: [UInt8], name: String) throws(Fault) -> MediaFormat {
        guard let format = MediaFormat(of: bytes) else { throw .format }
        guard Self.format(ofName: name) == format else { throw .ending(format) }
        try check(bytes, format)
        return format
    }

    /// Checks a file without a name.
    /// - Returns: the format.
    package static func format(of bytes: [UInt8]) throws(Fault) -> MediaFormat {
        guard let format = MediaFormat(of: bytes) else { throw .format }
        try check(bytes, format)
        return format
    }

    /// The format that the ending of a name claims; nil if it is none of the accepted ones.
    package static func format(ofName name: String) -> MediaFormat? {
        endings[name.split(separator: ".").last.map { $0.lowercased() } ?? ""]
    }

    private static func check(_ bytes: [UInt8], _ format: MediaFormat) throws(Fault) {
        if hasMarkup(bytes, format.kind) || endsAsArchive(bytes) { throw .mixed }
        guard format.kind == .image else {
            guard MediaStructure.isWhole(bytes, format) else { throw .format }
            return
        }
        guard let size = size(of: bytes, format), size.width > 0, size.height > 0 else { throw .format }
        let pixels = size.width.multipliedReportingOverflow(by: size.height)
        guard !pixels.overflow, pixels.partialValue <= maximumPixels else {
            throw .pixels(pixels.overflow ? .max : pixels.partialValue)
        }
    }

    // MARK: - Other contents

    /// The beginnings of pages and scripts. After the name of an element, a page has a space, `/` or `>`.
    private static let marks = ["<script", "<html", "<!doctype html", "<?php", "<svg", "<iframe"].map {
        Array($0.utf8)
    }
    private static let endsOfNames: Set<UInt8> = [0x09, 0x0A, 0x0C, 0x0D, 0x20, 0x2F, 0x3E]

    /// Whether the file contains the beginning of a page or of a script, in any case.
    private static func hasMarkup(_ bytes: [UInt8], _ kind: MediaFormat.Kind) -> Bool {
        guard kind != .image, bytes.count > 2 * inspectedBytes else { return hasMarkup(bytes[...]) }
        return hasMarkup(bytes.prefix(inspectedBytes)) || hasMarkup(bytes.suffix(inspectedBytes))
    }

    private static func hasMarkup(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBytes { raw in
            guard let base = raw.baseAddress else { return false }
            var offset = 0
            while offset < raw.count,
                let found = memchr(base + offset, Int32(UInt8(ascii: "<")), raw.count - offset)
            {
                offset = UnsafeRawPointer(found) - base
                let rest = raw[offset...].prefix(16).map { (65...90).contains($0) ? $0 + 32 : $0 }
                if marks.contains(where: { begins(rest, with: $0) }) { return true }
                offset += 1
            }
            return false
        }
    }

    private static func begins(_ rest: [UInt8], with mark: [UInt8]) -> Bool {
        guard rest.starts(with: mark) else { return false }
        guard rest.count > mark.count else { return true }
        return mark[1] == UInt8(ascii: "?") || endsOfNames.contains(rest[mark.count])
    }

    /// Whether the last bytes are the end of a ZIP archive, which programs read from its end.
    private static func endsAsArchive(_ bytes: [UInt8]) -> Bool {
        let tail = bytes.suffix(66_000)
        let mark: [UInt8] = [0x50, 0x4B, 0x05, 0x06]
        return tail.indices.contains { index in
            guard tail[index] == mark[0], tail[index...].starts(with: mark), index + 22 <= tail.endIndex
            else {
                return false
            }
            // The comment of the archive reaches to the end of the file.
            let comment = Int(tail[index + 20]) | Int(tail[index + 21]) << 8
            return index + 22 + comment == tail.endIndex
        }
    }

    // MARK: - Sizes

    /// Width and height in pixels; nil if the header cannot be read.
    static func size(of bytes: [UInt8], _ format: MediaFormat) -> (width: Int, height: Int)? {
        switch format {
        case .png: sizeOfPNG(bytes)
        case .jpeg: sizeOfJPEG(bytes)
        case .webp: sizeOfWebP(bytes)
        default: nil
        }
    }

    /// A number of several bytes, the most significant one first.
    private static func big(_ bytes: [UInt8], at offset: Int, count: Int) -> Int {
        bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }

    /// A number of several bytes, the least significant one first.
    private static func little(_ bytes: [UInt8], at offset: Int, count: Int) -> Int {
        bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// The chunk IHDR comes first (PNG specification, 5.6).
    private static func sizeOfPNG(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        guard bytes.count >= 33, bytes[12..<16].elementsEqual("IHDR".utf8), big(bytes, at: 8, count: 4) == 13
        else { return nil }
        return (big(bytes, at: 16, count: 4), big(bytes, at: 20, count: 4))
    }

    /// The first frame header (ITU-T T.81, B.2.2): `FF C0` to `FF CF`, except the markers DHT, JPG and DAC.
    private static func sizeOfJPEG(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        var offset = 2
        while offset + 4 <= bytes.count {
            guard bytes[offset] == 0xFF else { return nil }
            let marker = bytes[offset + 1]
            switch marker {
            case 0xFF: offset += 1
            case 0x01, 0xD0...0xD7: offset += 2
            case 0xC4, 0xC8, 0xCC: offset += 2 + big(bytes, at: offset + 2, count: 2)
            case 0xC0...0xCF:
                guard offset + 9 <= bytes.count else { return nil }
                return (big(bytes, at: offset + 7, count: 2), big(bytes, at: offset + 5, count: 2))
            case 0xD8, 0xD9, 0xDA: return nil
            default:
                let length = big(bytes, at: offset + 2, count: 2)
                guard length >= 2 else { return nil }
                offset += 2 + length
            }
        }
        return nil
    }

    /// The first chunk (RFC 9649): `VP8X` with the size of the canvas, or a picture `VP8 ` or `VP8L`.
    private static func sizeOfWebP(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        guard bytes.count >= 30 else { return nil }
        switch String(decoding: bytes[12..<16], as: UTF8.self) {
        case "VP8X":
            return (1 + little(bytes, at: 24, count: 3), 1 + little(bytes, at: 27, count: 3))
        case "VP8L":
            guard bytes[20] == 0x2F else { return nil }
            let bits = little(bytes, at: 21, count: 4)
            return (1 + (bits & 0x3FFF), 1 + ((bits >> 14) & 0x3FFF))
        case "VP8 ":
            guard bytes[23..<26].elementsEqual([0x9D, 0x01, 0x2A]) else { return nil }
            return (little(bytes, at: 26, count: 2) & 0x3FFF, little(bytes, at: 28, count: 2) & 0x3FFF)
        default: return nil
        }
    }
}
