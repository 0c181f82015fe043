import Testing

@testable import SaunterCore

/// Files are recognised by their bytes and not by their names.
struct MediaFormatTests {
    @Test(
        arguments: [
            ("\u{89}PNG\r\n\u{1A}\n", MediaFormat.png), ("RIFF0000WEBP", .webp), ("RIFF0000WAVEfmt ", .wav),
            ("OggS", .ogg), ("ID3\u{3}", .mp3), ("0000ftypM4A ", .m4a), ("0000ftypisom", .mp4),
            ("\u{1A}E\u{DF}\u{A3}\u{42}\u{82}\u{84}webm", .webm), ("\u{FF}\u{FB}\u{90}d", .mp3),
            ("\u{FF}\u{D8}\u{FF}", .jpeg),
        ]) func `a file is recognised by its first bytes`(_ head: String, _ format: MediaFormat)
    {
        let bytes = head.unicodeScalars.map { UInt8($0.value) }

        #expect(MediaFormat(of: bytes) == format)
        #expect(ContentMedia(bytes)?.byteCount == bytes.count)
    }

    @Test(
        arguments: [
            "", "<svg xmlns=\"http://www.w3.org/2000/svg\">", "<!doctype html>", "GIF89a", "%PDF-1.7",
            "PK\u{3}\u{4}",
            "0000ftypheic", "0000ftypqt  ", "\u{1A}E\u{DF}\u{A3}\u{42}\u{82}\u{88}matroska",
            "\u{FF}\u{FF}\u{FF}\u{FF}",
        ]) func `other files are not accepted`(_ text: String)
    {
        #expect(ContentMedia(text.unicodeScalars.map { UInt8($0.value) }) == nil)
    }

    @Test(arguments: MediaFormat.allCases)
    func `the media type begins with the kind`(_ format: MediaFormat) {
        #expect(format.mediaType.hasPrefix(format.kind.rawValue + "/"))
    }
}
