import Testing

@testable import SaunterCore

/// Uploaded files are what their names claim.
@Suite struct MediaInspectionTests {
    private static func number(_ value: Int, count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(value >> ($0 * 8) & 0xFF) }
    }

    /// The header of a PNG picture.
    static func png(_ width: Int, _ height: Int) -> [UInt8] {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
        bytes += Array("IHDR".utf8)
        bytes += number(width, count: 4)
        bytes += number(height, count: 4)
        return bytes + [8, 6, 0, 0, 0, 0, 0, 0, 0]
    }

    /// The header of a JPEG picture, after a segment with other data.
    private static func jpeg(_ width: Int, _ height: Int) -> [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xC0, 0, 11, 8]
        bytes += number(height, count: 2)
        bytes += number(width, count: 2)
        return bytes + [1, 1, 0x11, 0]
    }

    /// A WebP picture of the extended format, whose sizes begin with the least significant byte.
    private static func webp(_ width: Int, _ height: Int) -> [UInt8] {
        var bytes = Array("RIFF".utf8)
        bytes += [22, 0, 0, 0]
        bytes += Array("WEBPVP8X".utf8)
        bytes += [10, 0, 0, 0, 0, 0, 0, 0]
        bytes += number(width - 1, count: 3).reversed()
        bytes += number(height - 1, count: 3).reversed()
        return bytes
    }

    /// Two frames of 24 kbit/s and 22.05 kHz, after a tag with this number of bytes.
    private static func mp3(tag: Int? = nil, frames: Int = 2) -> [UInt8] {
        let head = tag.map {
            Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, UInt8($0)] + [UInt8](repeating: 0, count: $0)
        }
        let frame: [UInt8] = [0xFF, 0xF3, 0x30, 0xC4] + [UInt8](repeating: 0, count: 74)
        return (0..<frames).reduce(head ?? []) { bytes, _ in bytes + frame }
    }

    private static func ogg(_ codec: String) -> [UInt8] {
        Array("OggS".utf8) + [0, 2] + [UInt8](repeating: 0, count: 20) + [1, 19] + Array(codec.utf8)
            + [UInt8](repeating: 0, count: 11)
    }

    private static func wav() -> [UInt8] {
        Array("RIFF".utf8) + [40, 0, 0, 0] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0]
            + [UInt8](repeating: 1, count: 16) + Array("data".utf8) + [4, 0, 0, 0, 0, 0, 0, 0]
    }

    private static func mp4(_ brand: String) -> [UInt8] {
        [0, 0, 0, 16] + Array("ftyp\(brand)".utf8) + [0, 0, 0, 0] + [0, 0, 0, 12] + Array("moov".utf8)
            + [0, 0, 0, 0] + [0, 0, 0, 9] + Array("mdat".utf8) + [7]
    }

    private static func webm() -> [UInt8] {
        [0x1A, 0x45, 0xDF, 0xA3, 0x87, 0x42, 0x82, 0x84] + Array("webm".utf8)
            + [0x18, 0x53, 0x80, 0x67, 0x01, 0, 0, 0]
    }

    private static func fault(_ bytes: [UInt8], _ name: String) -> MediaInspection.Fault? {
        do throws(MediaInspection.Fault) {
            _ = try MediaInspection.format(of: bytes, name: name)
            return nil
        } catch {
            return error
        }
    }

    @Test func `pictures, sounds and films are recognised with the ending of their name`() throws {
        for (bytes, name, format) in [
            (Self.png(20, 10), "a/media/tree.png", .png), (Self.jpeg(20, 10), "tree.JPG", .jpeg),
            (Self.jpeg(20, 10), "tree.jpeg", .jpeg), (Self.webp(20, 10), "tree.webp", .webp),
            (Self.ogg("OpusHead"), "bell.ogg", .ogg), (Self.mp3(tag: 20), "bell.mp3", .mp3),
            (Self.mp3(), "bell.mp3", .mp3), (Self.mp4("isom"), "walk.mp4", .mp4),
            (Self.mp4("M4A "), "bell.m4a", .m4a), (Self.wav(), "bell.wav", .wav),
            (Self.webm(), "walk.webm", .webm),
        ] as [([UInt8], String, MediaFormat)] {
            #expect(try MediaInspection.format(of: bytes, name: name) == format)
        }
    }

    @Test func `the sizes of all picture formats are read`() throws {
        for (bytes, format) in [
            (Self.png(300, 200), .png), (Self.jpeg(300, 200), .jpeg), (Self.webp(300, 200), .webp),
        ] as [([UInt8], MediaFormat)] {
            let size = try #require(MediaInspection.size(of: bytes, format))
            #expect(size.width == 300 && size.height == 200, "\(format)")
        }
    }

    @Test func `pages and unknown formats are refused under any name`() {
        for text in [
            "<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "<!DOCTYPE html><p>", "GIF89a/*<script>*/", "",
        ] {
            #expect(Self.fault(Array(text.utf8), "a.png") == .format, "\(text)")
        }
        #expect(Self.fault(Self.png(1, 1), "a.jpg") == .ending(.png))
        #expect(Self.fault(Self.png(1, 1), "a") == .ending(.png))
        #expect(Self.fault(Self.png(1, 1), "a.svg") == .ending(.png))
    }

    @Test func `a picture that is also a page or an archive is refused`() {
        let archive: [UInt8] = [0x50, 0x4B, 5, 6] + [UInt8](repeating: 0, count: 18)
        #expect(Self.fault(Self.png(1, 1) + Array("<ScRiPt>alert(1)".utf8), "a.png") == .mixed)
        #expect(Self.fault(Self.jpeg(1, 1) + Array("<!DocType HTML>".utf8), "a.jpg") == .mixed)
        #expect(Self.fault(Self.png(1, 1) + archive, "a.png") == .mixed)
        #expect(Self.fault(Self.png(1, 1) + Array("a < b, and 1 <2".utf8), "a.png") == nil)
    }

    @Test func `a picture with too many pixels is refused by its header`() {
        #expect(Self.fault(Self.png(8000, 5000), "a.png") == nil)
        #expect(Self.fault(Self.png(8000, 5001), "a.png") == .pixels(40_008_000))
        #expect(Self.fault(Self.png(0x7FFF_FFFF, 0x7FFF_FFFF), "a.png") != nil)
        #expect(Self.fault(Self.jpeg(65535, 65535), "a.jpg") == .pixels(65535 * 65535))
        #expect(Self.fault(Self.webp(16_000, 16_000), "a.webp") == .pixels(256_000_000))
    }

    @Test func `a damaged header is no picture`() {
        #expect(Self.fault(Self.png(0, 10), "a.png") == .format)
        #expect(Self.fault(Array(Self.png(10, 10).prefix(20)), "a.png") == .format)
        #expect(Self.fault(Array(Self.jpeg(10, 10).prefix(12)), "a.jpg") == .format)
        #expect(Self.fault([0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 0, 0], "a.jpg") == .format)
        #expect(Self.fault(Array(Self.webp(10, 10).prefix(20)), "a.webp") == .format)
    }

    @Test func `sounds and films without their structure are refused`() {
        for (bytes, name) in [
            (Self.mp3(frames: 1), "a.mp3"), (Self.mp3(tag: 20, frames: 0), "a.mp3"),
            (Array("ID3".utf8), "a.mp3"),
            (Self.ogg("theora.."), "a.ogg"), (Array("OggS".utf8), "a.ogg"),
            (Array(Self.wav().prefix(30)), "a.wav"), (Array(Self.mp4("isom").dropLast()), "a.mp4"),
            (Array(Self.mp4("isom").prefix(16)), "a.mp4"), (Array(Self.webm().prefix(12)), "a.webm"),
            (Self.mp4("isom") + Array("<html>".utf8).reversed(), "a.mp4"),
        ] as [([UInt8], String)] {
            #expect(Self.fault(bytes, name) == .format, "\(name), \(bytes.count) bytes")
        }
        #expect(Self.fault(Self.mp4("isom"), "a.png") == .ending(.mp4))
        #expect(Self.fault(Self.mp3() + Array("<html>".utf8), "a.mp3") == .mixed)
        // The name of an element is longer.
        #expect(Self.fault(Self.mp3() + Array("<svgx".utf8), "a.mp3") == nil)
        // In the middle of a large film, three letters occur by chance.
        let gap = [UInt8](repeating: 0, count: 1 << 20)
        #expect(Self.fault(Self.mp3() + gap + Array("<svg>".utf8) + gap, "a.mp3") == nil)
        #expect(Self.fault(Self.png(1, 1) + gap + Array("<svg>".utf8) + gap, "a.png") == .mixed)
    }
}
