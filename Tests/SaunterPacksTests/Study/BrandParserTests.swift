import Foundation
import SaunterCore
import Testing

@testable import SaunterPacks

/// The key `brand` of `study.yaml`, and the short name and the welcome of the text files.
struct BrandParserTests {
    private static let folder = "studies/mindful-walking/"
    private static let line =
        "brand: {accent: \"#2F6F4E\", icon: media/icon.png, picture: media/picture.png}"

    private static func bytes(_ format: MediaFormat, count: Int = 40) -> Data {
        let head: [UInt8] =
            switch format {
            case .png: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            case .jpeg: [0xFF, 0xD8, 0xFF, 0xE0]
            case .webp: Array("RIFF\u{0}\u{0}\u{0}\u{0}WEBP".utf8)
            case .mp3, .ogg, .wav, .m4a, .mp4, .webm: []
            }
        return Data(head + [UInt8](repeating: 0, count: count))
    }

    /// The head of a PNG file of this size. The check reads no more of it.
    private static func png(_ width: UInt8, _ height: UInt8) -> Data {
        Data(
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
                + [0, 0, width, 0, 0, 0, height, 0, 8, 3, 0, 0, 0])
    }

    private static func study(_ files: PackFiles) throws -> Study {
        try StudyPack.read(files, study: "mindful-walking").study
    }

    /// The faults of the pack with another brand.
    private func faults(brand: String, _ files: [String: Data] = [:]) throws -> [String] {
        var pack = try RealPacks.study().replacing(Self.line, with: brand, in: Self.folder + "study.yaml")
        for (name, data) in files { pack = pack.setting(Self.folder + name, PackFiles.encoded(data)) }
        var parser = StudyParser(files: pack, folder: Self.folder)
        _ = parser.study(code: "mindful-walking", skipsRules: false)
        return parser.faults.map { "\($0.file.dropFirst(Self.folder.count)): \($0.message)" }
    }

    @Test func `the brand of a study is read with its pictures`() throws {
        let study = try Self.study(RealPacks.study())

        let file = try Data(
            contentsOf: RealPacks.root.appending(path: "studies/mindful-walking/media/icon.png"))
        #expect(study.brand.accent?.given.text == "#2f6f4e")
        #expect(study.brand.icon?.bytes == [UInt8](file))
        #expect(study.brand.icon?.pngSize?.width == 512)
        #expect(study.brand.picture?.format == .png)
        #expect(study.text["en"]?.shortName == "Walking")
        #expect(study.text["de"]?.welcome.count == 3)
    }

    @Test func `the pictures survive storage, and belong to the digest`() throws {
        let files = try RealPacks.study()

        let stored = try PackFiles(json: try JSONReader.read(files.json.bytes))

        #expect(try Self.study(stored).brand == Self.study(files).brand)
        let other = files.setting(Self.folder + "media/icon.png", PackFiles.encoded(Self.png(2, 2)))
        #expect(other.digest != files.digest)
    }

    @Test(arguments: MediaFormat.allCases.filter { $0.kind == .image })
    func `a picture is recognised by its first bytes`(_ format: MediaFormat) throws {
        let found = try faults(
            brand: "brand: {picture: media/picture.png, icon: media/icon.png}",
            ["media/picture.png": Self.bytes(format)])

        #expect(found == [])
    }

    @Test(arguments: [
        ("brand: green", "study.yaml: a brand must be a mapping, not a text"),
        (
            "brand: {acent: \"#2F6F4E\"}",
            "study.yaml: \"acent\" is not a key of a brand; did you mean \"accent\"?"
        ),
        ("brand: {accent: green}", "study.yaml: \"green\" is not a colour such as \"#1E6A5B\""),
        (
            "brand: {icon: media/other.png}",
            "study.yaml: there is no picture media/other.png in the folder media/ of the study"
        ),
        (
            "brand: {icon: study.yaml}",
            "study.yaml: there is no picture study.yaml in the folder media/ of the study"
        ),
        (
            "brand: {icon: ../emotions-tracker/media/icon.png}",
            "study.yaml: there is no picture ../emotions-tracker/media/icon.png in the folder media/ of the study"
        ),
    ])
    func `a brand that cannot be read is a fault`(brand: String, message: String) throws {
        #expect(try faults(brand: brand).contains(message))
    }

    @Test func `a file that nothing names is a fault`() throws {
        let found = try faults(brand: "brand: {icon: media/icon.png}")

        #expect(found == ["media/picture.png: this file is not part of a study"])
    }

    @Test(arguments: [
        (Data("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8), "is not a PNG, JPEG or WebP file"),
        (Data("<!doctype html><script>alert(1)</script>".utf8), "is not a PNG, JPEG or WebP file"),
        (Data(), "is not a PNG, JPEG or WebP file"),
        (bytes(.png, count: 256 << 10), "is larger than 256 KiB"),
    ])
    func `other files and large files are no pictures`(_ data: Data, _ message: String) throws {
        let found = try faults(brand: Self.line, ["media/picture.png": data])

        #expect(found == ["study.yaml: media/picture.png \(message)"])
    }

    @Test(arguments: [
        (png(1, 1), false), (png(2, 2), true), (png(4, 4), true), (png(2, 4), false), (bytes(.jpeg), false),
    ])
    func `an icon is a square PNG file of 512 to 1024 pixels`(_ icon: Data, _ isAccepted: Bool) throws {
        let found = try faults(brand: Self.line, ["media/icon.png": icon])

        #expect(
            found
                == (isAccepted
                    ? [] : ["study.yaml: An icon must be a square PNG file of 512 to 1024 pixels."]))
    }

    @Test func `an accent like the colour of errors has a hint`() throws {
        let pack = try RealPacks.study().replacing("#2F6F4E", with: "#C0392B", in: Self.folder + "study.yaml")
        var parser = StudyParser(files: pack, folder: Self.folder)

        _ = parser.study(code: "mindful-walking", skipsRules: false)

        #expect(parser.faults == [] && parser.hints.map(\.message).contains { $0.contains("red of errors") })
    }

    @Test(arguments: [
        ("short_name: Walking", "short_name: Mindful walking", "A short name has 1 to 12 characters"),
        (
            "  - title: Your evening\n    text: From", "  - title: Your evening\n    txt: From",
            "\"txt\" is not a key"
        ),
        (
            "welcome:\n", "welcome:\n  - {title: One more, text: Step}\n",
            "The welcome must have 3 steps, as in the first language."
        ),
    ])
    func `a wrong name or welcome is a fault`(passage: String, other: String, message: String) throws {
        let pack = try RealPacks.study().replacing(
            passage, with: other, in: Self.folder + "content/text.en.yaml")
        var parser = StudyParser(files: pack, folder: Self.folder)

        _ = parser.study(code: "mindful-walking", skipsRules: false)

        #expect(parser.faults.contains { $0.message.contains(message) })
    }
}
