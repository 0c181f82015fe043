/// The structure of sounds and films: the parts that a player needs, at the offsets that the file states.
enum MediaStructure {
    /// Whether the file has the parts that its format requires.
    static func isWhole(_ bytes: [UInt8], _ format: MediaFormat) -> Bool {
        switch format {
        case .mp3: hasFrames(bytes)
        case .ogg: hasSoundStream(bytes)
        case .wav: hasWaveChunks(bytes)
        case .m4a, .mp4: hasBoxes(bytes)
        case .webm: hasSegment(bytes)
        case .png, .jpeg, .webp: true
        }
    }

    private static func big(_ bytes: [UInt8], at offset: Int, count: Int) -> Int {
        bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func text(_ bytes: [UInt8], at offset: Int, _ text: String) -> Bool {
        let wanted = Array(text.utf8)
        return offset >= 0 && bytes.count >= offset + wanted.count && bytes[offset...].starts(with: wanted)
    }

    // MARK: - MP3

    private static let bitrates = [
        [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ]
    private static let sampleRates = [44_100, 48_000, 32_000]

    /// Whether two frames of MPEG layer 3 follow each other, after the tag ID3v2 if there is one (ISO/IEC 11172-3,
    /// 2.4.1.3; id3.org, ID3v2.4.0, 3.1).
    private static func hasFrames(_ bytes: [UInt8]) -> Bool {
        var offset = 0
        if text(bytes, at: 0, "ID3") {
            guard bytes.count >= 10, bytes[6..<10].allSatisfy({ $0 < 0x80 }) else { return false }
            offset = 10 + bytes[6..<10].reduce(0) { $0 << 7 | Int($1) }
            while offset < bytes.count, bytes[offset] == 0 { offset += 1 }
        }
        guard let length = frameLength(bytes, at: offset) else { return false }
        return frameLength(bytes, at: offset + length) != nil
    }

    /// The number of bytes of a frame; nil if there is no header.
    private static func frameLength(_ bytes: [UInt8], at offset: Int) -> Int? {
        guard offset + 4 <= bytes.count, bytes[offset] == 0xFF, bytes[offset + 1] & 0xE6 == 0xE2 else {
            return nil
        }
        // 0: version 2.5, 2: version 2, 3: version 1.
        let version = Int(bytes[offset + 1] >> 3 & 3)
        let (bitrate, rate) = (Int(bytes[offset + 2] >> 4), Int(bytes[offset + 2] >> 2 & 3))
        guard version != 1, (1...14).contains(bitrate), rate < 3 else { return nil }
        let isFirst = version == 3
        let samples = sampleRates[rate] / (isFirst ? 1 : version == 2 ? 2 : 4)
        let padding = Int(bytes[offset + 2] >> 1 & 1)
        return (isFirst ? 144 : 72) * bitrates[isFirst ? 0 : 1][bitrate] * 1000 / samples + padding
    }

    // MARK: - Ogg

    /// Whether the first page begins a stream of a sound (RFC 3533, 6; RFC 7845, 5.1).
    private static func hasSoundStream(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 27, bytes[4] == 0, bytes[5] & 2 != 0 else { return false }
        let data = 27 + Int(bytes[26])
        return ["OpusHead", "\u{1}vorbis", "\u{7F}FLAC", "Speex   "].contains { text(bytes, at: data, $0) }
    }

    // MARK: - WAV

    /// Whether the chunks `fmt ` and `data` follow each other within the file.
    private static func hasWaveChunks(_ bytes: [UInt8]) -> Bool {
        var offset = 12
        var hasFormat = false
        while offset + 8 <= bytes.count {
            if text(bytes, at: offset, "data") { return hasFormat }
            if text(bytes, at: offset, "fmt ") { hasFormat = true }
            let length = bytes[offset + 4..<offset + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
            offset += 8 + length + length % 2
        }
        return false
    }

    // MARK: - MPEG-4

    /// Whether the boxes fill the file, and one is the description `moov` (ISO/IEC 14496-12, 4.2).
    private static func hasBoxes(_ bytes: [UInt8]) -> Bool {
        var offset = 0
        var isDescribed = false
        while offset < bytes.count {
            guard offset + 8 <= bytes.count else { return false }
            if text(bytes, at: offset + 4, "moov") { isDescribed = true }
            var length = big(bytes, at: offset, count: 4)
            if length == 0 { return isDescribed }
            if length == 1 {
                guard offset + 16 <= bytes.count, bytes[offset + 8] < 0x7F else { return false }
                length = big(bytes, at: offset + 8, count: 8)
            }
            guard length >= 8, length <= bytes.count - offset else { return false }
            offset += length
        }
        return isDescribed
    }

    // MARK: - WebM

    /// Whether the segment follows the EBML header (RFC 8794, 8.1).
    private static func hasSegment(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 12, bytes[4] != 0 else { return false }
        let width = bytes[4].leadingZeroBitCount + 1
        let mask = UInt8(truncatingIfNeeded: 0xFF >> width)
        var length = Int(bytes[4] & mask)
        for byte in bytes[5..<4 + width] {
            guard length < 1 << 32 else { return false }
            length = length << 8 | Int(byte)
        }
        let segment = 4 + width + length
        return segment + 4 <= bytes.count
            && bytes[segment..<segment + 4].elementsEqual([0x18, 0x53, 0x80, 0x67])
    }
}
