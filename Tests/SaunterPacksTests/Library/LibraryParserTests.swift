import Foundation
import SaunterCore
import Testing

@testable import SaunterPacks

/// The folder `library` of a study.
struct LibraryParserTests {
    private static let folder = "studies/mindful-walking/library/"
    private static let collection = """
        title: {en: Quotes, de: Zitate}
        fields:
          body: {type: text, maxLength: 20}
          author: text
          year: integer
          picture: {type: media, kind: image}
        select: {list: true, daily: {per: person}, draw: true}

        """
    private static let png = PackFiles.encoded(
        Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]))
    private static let files = [
        "quotes.yaml": collection,
        "quotes.csv": "id,tags,year,picture\nfirst,short new,1900,media/a.png\nsecond,,,\n",
        "quotes.en.csv": "id,body,author\nfirst,One,Ann\nsecond,\"Two, too\",\n",
        "quotes.de.csv": "id,body,author\nfirst,Eins,Ann\nsecond,Zwei,\n",
        "media/a.png": png,
    ]

    private static func read(
        _ files: [String: String], isPublished: Bool = false
    ) throws -> (library: Library, faults: [String]) {
        let study = try StudyPack.read(RealPacks.study(), study: "mindful-walking").study
        let pack = PackFiles(
            files: Dictionary(uniqueKeysWithValues: files.map { (folder + $0.key, $0.value) }))
        var parser = LibraryParser(files: pack, study: study, isPublished: isPublished)
        let library = parser.library()
        return (
            library,
            parser.faults.sorted().map { "\($0.file.dropFirst(folder.count)):\($0.line): \($0.message)" }
        )
    }

    @Test func `a collection has fields, items in the order of the file, and words for each language`() throws
    {
        let (library, faults) = try Self.read(Self.files)

        let quotes = try #require(library.collection("quotes"))
        #expect(faults.isEmpty)
        #expect(quotes.items.map(\.id) == ["first", "second"])
        #expect(quotes.items[0].tags == ["short", "new"])
        #expect(quotes.items[0].value(of: "year", in: "de") == .integer(1900))
        #expect(quotes.items[0].value(of: "body", in: "de") == .text("Eins"))
        #expect(quotes.items[1].value(of: "body", in: "en") == .text("Two, too"))
        #expect(quotes.items[1].value(of: "author", in: "en") == nil)
        #expect(quotes.selections == [.list, .dailyForParticipant, .draw])
        #expect(library.media.map(\.format) == [.png])
        let json = quotes.json(of: quotes.items[0], order: 1, in: "en", entitlements: [], mediaPath: "/m/")
        #expect(json["fields"]?["picture"]?["url"]?.string == "/m/\(library.media[0].digest)")
        #expect(quotes.summary(in: "de")["title"] == "Zitate")
    }

    @Test
    func
        `an edition can be read for a version without its languages, arms, entitlements, settings and variables`()
        throws
    {
        var files = Self.files
        files["quotes.yaml"] =
            Self.collection.replacing("de: Zitate}", with: "fr: Citations}")
            + "where: later_variable > 1\nvariant: {setting: later_setting}\n"
        files["quotes.csv"] = "id,arms,entitlement\nfirst,later_arm,later_code\nsecond,,\n"
        files["quotes.de.csv"] = nil
        files["quotes.fr.csv"] = "id,body\nfirst,Un\n"
        files["later.txt"] = "a file of a later release"

        #expect(try !Self.read(files).faults.isEmpty)
        let (library, faults) = try Self.read(files, isPublished: true)

        let quotes = try #require(library.collection("quotes"))
        #expect(faults.isEmpty, "\(faults)")
        #expect(quotes.title(in: "fr") == "Citations")
        #expect(quotes.items[0].value(of: "body", in: "fr") == .text("Un"))
        #expect(quotes.items[0].value(of: "body", in: "en") == .text("One"))
        #expect(quotes.items[0].arms == ["later_arm"])
        #expect(quotes.items[0].isLocked(for: []))
        #expect(quotes.variantSetting == "later_setting")
    }

    @Test func `items and words can be in YAML`() throws {
        let (library, faults) = try Self.read([
            "rhythms.yaml": """
            title: {en: Rhythms, de: Rhythmen}
            fields: {title: text, in_s: integer, colours: map}
            items:
              - {id: gentle, in_s: 4, colours: {calm: "#0000FF"}}
              - {id: slow, in_s: 5, tags: [long]}
            """,
            "rhythms.en.yaml": "gentle: {title: Gentle}\nslow: {title: Slow}\n",
            "rhythms.de.yaml": "gentle: {title: Sanft}\nslow: {title: Langsam}\n",
        ])

        let items = library.collection("rhythms")?.items
        #expect(faults.isEmpty)
        #expect(items?.first?.values["colours"] == .map(["calm": "#0000FF"]))
        #expect(items?.last?.value(of: "title", in: "de") == .text("Langsam"))
        #expect(items?.last?.tags == ["long"])
    }

    @Test(
        arguments: [
            ("quotes.csv", "second,,,", "first,,,", "quotes.csv:3: another item has the id first"),
            (
                "quotes.csv", "second,,,", "No good,,,",
                "quotes.csv:3: \"No good\" is not an id: lower-case letters, digits, _ and -"
            ),
            ("quotes.csv", "1900", "x", "quotes.csv:2: first, year: this is not a whole number"),
            (
                "quotes.csv", "a.png", "b.png",
                "quotes.csv:2: first, picture: there is no file media/b.png in library/media/"
            ),
            (
                "quotes.csv", "id,tags,year,picture", "id,tags,years,picture",
                "quotes.csv:2: first: the collection has no field years"
            ),
            (
                "quotes.en.csv", "One,Ann", "This is much too long here,Ann",
                "quotes.en.csv:2: first, body: 26 characters, at most 20 are possible"
            ),
            ("quotes.en.csv", "One,Ann", "One,", "quotes.csv:2: first: author in the language en is missing"),
            (
                "quotes.de.csv", "second,Zwei,", "third,Drei,",
                "quotes.de.csv:3: the collection has no item third"
            ),
            ("quotes.yaml", "de: Zitate", "fr: Citations", "quotes.yaml:1: the study has no language fr"),
            (
                "quotes.yaml", "year: integer", "year: number",
                "quotes.yaml:5: expected one of text, markdown, url, phone, code, integer, decimal, media, map, found \"number\""
            ),
            ("quotes.yaml", "per: person", "per: day", "quotes.yaml:7: expected person or study"),
            (
                "quotes.yaml", "select:", "where: \"mood > 3\"\nselect:",
                "quotes.yaml:7: At character 1: there is no variable mood."
            ),
            (
                "quotes.yaml", "select:", "where: \"year\"\nselect:",
                "quotes.yaml:7: At character 1: this is a number, not true or false."
            ),
            (
                "quotes.yaml", "select:", "visible: anyone\nselect:",
                "quotes.yaml:8: `draw` is not possible, because anyone can read the collection"
            ),
            (
                "quotes.yaml", "select:", "variant: {setting: voice}\nselect:",
                "quotes.yaml:7: no questionnaire with settings has an item voice"
            ),
            (
                "media/a.png", "data:;base64,", "data:;base64,PHN2Zz48L3N2Zz4=",
                "quotes.csv:2: first, picture: media/a.png is not a PNG, JPEG or WebP picture"
            ),
        ])
    func `each fault names its file and line`(
        _ file: String, _ old: String, _ new: String, _ message: String
    ) throws {
        var files = Self.files
        files[file] = file.hasSuffix(".png") ? new : files[file]?.replacing(old, with: new)

        let (_, faults) = try Self.read(files)

        #expect(faults.contains(message), "\(faults)")
    }

    @Test(
        arguments: [
            ("phone", "0301234", "a number is in the form +4930123456, or has 3 to 6 digits"),
            ("phone", "+49 30 12", "a number is in the form +4930123456, or has 3 to 6 digits"),
            ("url", "http://example.org", "an address begins with https://"),
            ("markdown", "<b>Hello</b>", "HTML is not possible in Markdown"),
            ("decimal", "1,5", "this is not a number"),
        ]) func `values must fit the type of their field`(
            _ type: String, _ value: String, _ message: String
        ) throws
    {
        let (_, faults) = try Self.read([
            "things.yaml": """
            title: {en: Things, de: Dinge}
            fields: {value: \(type)}
            items: [{id: one, value: "\(value)"}]
            """
        ])

        #expect(faults == ["things.yaml:3: one, value: \(message)"])
    }

    @Test(arguments: [
        ("phone", "116123"), ("phone", "+498001110111"), ("url", "https://example.org"),
        ("markdown", "**Hello**"),
    ])
    func `values that fit are accepted`(_ type: String, _ value: String) throws {
        let (library, faults) = try Self.read([
            "things.yaml": """
            title: {en: Things, de: Dinge}
            fields: {value: \(type)}
            items: [{id: one, value: "\(value)"}]
            """
        ])

        #expect(faults.isEmpty)
        #expect(library.collections.first?.items.first?.values["value"] == .text(value))
    }

    @Test func `a file that no collection uses is a fault`() throws {
        var files = Self.files
        files["quotes.fr.csv"] = "id,body\nfirst,Un\n"
        files["media/b.png"] = Self.png

        let (_, faults) = try Self.read(files)

        #expect(
            faults == [
                "media/b.png:1: no part of the library uses this file",
                "quotes.fr.csv:1: no part of the library uses this file",
            ])
    }

    @Test func `the library does not belong to the digest of a study version`() throws {
        let files = try RealPacks.study()
        var more = files
        for (name, text) in Self.files { more = more.setting(Self.folder + name, text) }

        let (plain, extended) = (
            try StudyPack.read(files, study: "mindful-walking"),
            try StudyPack.read(more, study: "mindful-walking")
        )

        #expect(plain.digest == extended.digest)
        #expect(plain.libraryDigest == nil)
        #expect(extended.libraryDigest?.count == 64)
        #expect(extended.library.collections.map(\.code) == ["quotes"])
    }
}
