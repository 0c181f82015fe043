import Foundation
import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterExchange

/// Archives of packs. Tests/Acceptance/test_staff_drafts.py sends further hostile ones over HTTP.
@Suite struct PackArchiveTests {
    private static let study = "code: walks\nquestionnaires: [{code: who_5, version: 1.0.0}]\n"

    /// The header of a WebP picture of one pixel.
    private static let picture =
        "RIFF\u{16}\u{0}\u{0}\u{0}WEBPVP8X\u{A}" + String(repeating: "\u{0}", count: 13)

    private static func archive(_ files: [(String, String)]) -> [UInt8] {
        WorkbookFile.zip(files.map { (path: $0.0, data: Array($0.1.utf8)) })
    }

    private static func faults(_ bytes: [UInt8]) -> [String] {
        do {
            _ = try PackArchive(bytes, study: "walks")
            return []
        } catch {
            return error.list.map { "\($0.file): \($0.message)" }
        }
    }

    static let layouts: [(name: String, study: String, instruments: String)] = [
        ("a folder of packs", "studies/walks/", "instruments/"),
        ("a folder of packs in folders", "a/b/studies/walks/", "a/b/instruments/"),
        ("a folder of a study with its instruments inside", "walks/", "walks/instruments/"),
        ("the files of a study", "", "instruments/"),
        ("a folder of a study beside its instruments", "x/anything/", "x/instruments/"),
    ]

    @Test(arguments: layouts.indices)
    func `the layouts of archives give the same pack`(index: Int) throws {
        let layout = Self.layouts[index]
        let bytes = Self.archive([
            ("\(layout.study)study.yaml", Self.study),
            ("\(layout.study)content/text.de.yaml", "title: Grüße\n"),
            ("\(layout.study)media/a.webp", Self.picture), ("\(layout.study).hidden", "x"),
            ("\(layout.instruments)who_5/1.0.0/questionnaire.yaml", "code: who_5\n"),
            ("__MACOSX/\(layout.study)study.yaml", "x"),
        ])

        let files = try PackArchive(bytes, study: "walks").files

        #expect(
            Set(files.files.keys) == [
                "studies/walks/study.yaml", "studies/walks/content/text.de.yaml",
                "studies/walks/media/a.webp",
                "instruments/who_5/1.0.0/questionnaire.yaml",
            ])
        #expect(files["studies/walks/study.yaml"] == Self.study)
        #expect(files.media("studies/walks/media/a.webp") == Array(Self.picture.utf8))
    }

    @Test func `of a folder with other studies only the study and its instruments are taken`() throws {
        let bytes = Self.archive([
            ("studies/walks/study.yaml", Self.study), ("studies/other/study.yaml", "code: other\n"),
            ("instruments/who_5/1.0.0/a.yaml", "a"), ("instruments/phq_9/1.0.0/a.yaml", "b"),
        ])

        let files = try PackArchive(bytes, study: "walks").files

        #expect(Set(files.files.keys) == ["studies/walks/study.yaml", "instruments/who_5/1.0.0/a.yaml"])
    }

    @Test func `another study is rejected, by its folder and by its code`() {
        let folder = Self.faults(Self.archive([("studies/other/study.yaml", "code: other\n")]))
        let code = Self.faults(Self.archive([("study.yaml", "code: other\n")]))

        #expect(folder == [": the archive contains the study other, and not walks"])
        #expect(code == ["studies/walks/study.yaml: this is the study \"other\", and not \"walks\""])
    }

    @Test func `all faults of an archive are reported at once`() {
        let found = Self.faults(
            Self.archive([
                ("studies/walks/study.yaml", Self.study), ("../evil", "x"), ("/etc/passwd", "x"),
                ("studies/walks/../x", "x"),
            ]))

        #expect(found.count == 3)
        #expect(found.allSatisfy { $0.contains("must be relative") })
    }

    @Test func `a text that is not UTF-8 or too large is a fault of its file`() {
        let bytes = WorkbookFile.zip([
            (path: "study.yaml", data: Array(Self.study.utf8)), (path: "content/a.md", data: [0x61, 0xFF]),
            (path: "content/b.md", data: [UInt8](repeating: 0x61, count: (1 << 20) + 1)),
        ])

        #expect(Self.faults(bytes) == ["content/a.md: not UTF-8", "content/b.md: larger than 1 MiB"])
    }

    @Test func `what is no archive, is damaged or contains no study is rejected`() {
        #expect(Self.faults([]) == [": the file is not a zip archive"])
        #expect(Self.faults(Array("hello".utf8)) == [": the file is not a zip archive"])
        #expect(
            Self.faults(Self.archive([("README.md", "x")])) == [": there is no study.yaml in the archive"])
        let whole = Self.archive([("study.yaml", Self.study)])
        #expect(!Self.faults(Array(whole.prefix(40))).isEmpty)
        #expect(
            Self.faults(Self.archive([("a/study.yaml", Self.study), ("b/study.yaml", Self.study)])).count == 2
        )
    }

    @Test func `media of an archive are checked by their content, and large ones are kept separately`() throws
    {
        let film: [UInt8] =
            [0, 0, 0, 24] + Array("ftypmp42".utf8) + [0, 0, 0, 0] + Array("mp42isom".utf8) + [0, 0, 0, 8]
            + Array("moov".utf8) + [0, 0x20, 0, 0] + Array("mdat".utf8)
            + [UInt8](repeating: 0, count: (2 << 20) - 8)
        func archive(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
            WorkbookFile.zip([
                (path: "studies/walks/study.yaml", data: Array(Self.study.utf8)),
                (path: "studies/walks/library/media/\(name)", data: bytes),
            ])
        }

        let pack = try PackArchive(archive("film.mp4", film), study: "walks")

        let path = "studies/walks/library/media/film.mp4"
        #expect(pack.files.reference(at: path)?.byteCount == film.count)
        #expect(pack.files.byteCount(path) == film.count && pack.files.media(path) == nil)
        #expect(pack.media[path].map { [UInt8]($0) } == film)

        let svg = Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8)
        for (name, bytes, fault) in [
            ("film.png", film, "the content of the file is video/mp4; its name has another ending"),
            (
                "page.svg", svg,
                "the file is no PNG, JPEG or WebP picture, MP3, Ogg, WAV or M4A sound, or MP4 or WebM film"
            ),
            (
                "cut.mp4", Array(film.dropLast()),
                "the file is no PNG, JPEG or WebP picture, MP3, Ogg, WAV or M4A sound, or MP4 or WebM film"
            ),
            (
                "a.webp", Array(Self.picture.utf8) + svg,
                "the file also contains a page, a script or an archive"
            ),
            ("huge.mp4", film + [UInt8](repeating: 0, count: 63 << 20), "larger than 64 MiB"),
        ] {
            #expect(
                Self.faults(archive(name, bytes)) == ["studies/walks/library/media/\(name): \(fault)"],
                "\(name)")
        }
    }
}
