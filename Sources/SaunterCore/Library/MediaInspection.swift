/// Decides whether an uploaded file is the picture, sound or film that its name claims. Only headers are read.
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
    }

    /// The most pixels of a picture: 40 million. A small file can unpack to many more.
    package static let maximumPixels = 40_000_000

    /// The accepted formats for the endings of names.
    private static let endings: [String: MediaFormat] = [
        "png": .png, "jpg": .jpeg, "jpeg": .jpeg, "webp": .webp, "mp3": .mp3, "ogg": .ogg, "oga": .ogg,
        "opus": .ogg, "wav": .wav, "m4a": .m4a, "mp4": .mp4, "m4v": .mp4, "webm": .webm,
    ]

    /// Checks a file.
    /// - Parameter name: the name or path of the file.
    /// - Returns: the format.
    package static func format(of bytes: [UInt8], name: String) throws(Fault) -> MediaFormat {
        guard let format = MediaFormat(of: bytes) else { throw .format }
        let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        guard endings[ending] == format else { throw .ending(format) }
        if hasMarkup(bytes) || endsAsArchive(bytes) { throw .mixed }
        guard format.kind == .image else { return format }
        guard let size = size(of: bytes, format), size.width > 0, size.height > 0 else { throw .format }
        let pixels = size.width.multipliedReportingOverflow(by: size.height)
        guard !pixels.overflow, pixels.partialValue <= maximumPixels else {
            throw .pixels(pixels.overflow ? .max : pixels.partialValue)
        }
        return format
    }

    // MARK: - Other contents

    private static let marks = ["<script", "<html", "<!doctype html", "<?php", "<svg", "<iframe"].map {
        Array($0.utf8)
    }

    /// Whether the file contains the beginning of a page or of a script, in any case.
    private static func hasMarkup(_ bytes: [UInt8]) -> Bool {
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "<") {
            let rest = bytes[index...].prefix(16).map { (65...90).contains($0) ? $0 + 32 : $0 }
            if marks.contains(where: { rest.starts(with: $0) }) { return true }
        }
        return false
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
